//! Shapes a result as the caller requests it: in a readable view, with only some members, or within a number of bytes.
//!
//! Shaping has three steps. The [view](View) comes first. Then `fields` selects members of that view. Finally, the
//! longest texts and lists are truncated to fit the number of bytes. The same result and options always give the same
//! outcome. Without any option, the product's bytes pass unchanged.

mod budget;
mod fields;
mod left_out;
mod options;
mod parts;
mod path;

use std::borrow::Cow;

use serde_json::{Value, json, value::RawValue};

use crate::{
    Error, ErrorKind, Result,
    tool::{
        ReadableView, Warning, Whole,
        numbers::{as_texts, is_exact},
    },
};

use left_out::LeftOut;
pub use options::{ResultOptions, View};
pub use parts::Part;
pub use path::Path;

/// Member of a readable result that lists the paths of texts that third parties wrote.
pub const UNTRUSTED: &str = "untrusted";

/// Facts about the tool and the call that a result comes from.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// Readable view of the tool, if it has one.
    pub readable: Option<ReadableView>,
    /// JSON Schema of the data in the requested view.
    pub schema: &'a Value,
    /// Parameter of the tool that limits the number of items.
    pub page_size: Option<&'a str>,
    /// Whether the call is read-only. A call that changed something always gets its result, because an error would
    /// suggest that nothing happened.
    pub only_reads: bool,
}

/// A result in the requested shape.
#[derive(Debug)]
#[non_exhaustive]
pub struct Shaped {
    /// The data.
    pub data: Box<RawValue>,
    /// Notes about missing parts, and how to get them.
    pub warnings: Vec<Warning>,
    /// The largest parts that are truncated or only named, largest first.
    pub parts: Vec<Part>,
}

impl Shaped {
    fn new(data: Box<RawValue>, warnings: Vec<Warning>) -> Self {
        Self {
            data,
            warnings,
            parts: Vec::new(),
        }
    }
}

/// Shapes the data as the options request it.
///
/// # Errors
/// [`ErrorKind::InvalidRequest`] at `/fields` if a text isn't a path, and at `/max_bytes` if the smallest form of the
/// data is larger.
pub fn shape(data: Box<RawValue>, options: &ResultOptions, origin: Origin<'_>) -> Result<Shaped> {
    let paths = options.paths()?;
    let view = origin.readable.filter(|_| options.view == View::Readable);
    let budget = options.budget();
    if view.is_none() && paths.is_empty() && budget.is_none_or(|most| data.get().len() <= most) {
        return Ok(Shaped::new(data, Vec::new()));
    }
    let mut warnings = Vec::new();
    let mut value = match read(&data, &mut warnings) {
        Ok(value) => value,
        Err(error) if origin.only_reads => return Err(unreadable(error)),
        Err(_) => {
            let message = "the result is nested too deeply to transform";
            return Ok(Shaped::new(
                data,
                vec![Warning::new("result_as_it_is", message)],
            ));
        }
    };
    drop(data);
    let mut wholes: Vec<Whole> = Vec::new();
    if let Some(view) = view {
        (value, wholes) = view.with_wholes(value).map_err(unreadable)?;
    }
    if !paths.is_empty() {
        warnings.extend(fields::unknown(&paths, &value, origin.schema));
        fields::select(&paths, &mut value);
    }
    if let Some(view) = view {
        mark(&mut value, view.untrusted());
    }
    let Some(most) = budget else {
        let mut shaped = Shaped::new(raw(value.to_string())?, warnings);
        shaped.parts = parts::largest(options, &value, wholes, &[]);
        return Ok(shaped);
    };
    let (limits, size) = budget::limits(&value, most);
    if size > most {
        let message = format!(
            "the smallest form of the result has {size} bytes; set max_bytes to at least {size}, or select fewer fields"
        );
        if origin.only_reads {
            return Err(Error::invalid_at("/max_bytes", message));
        }
        warnings.push(Warning::new("max_bytes_exceeded", message));
    }
    let left_out = LeftOut::of(&value, limits);
    warnings.extend(left_out.warnings(origin.page_size));
    let mut shaped = Shaped::new(raw(budget::written(&value, limits)?)?, warnings);
    shaped.parts = parts::largest(options, &value, wholes, left_out.cuts());
    Ok(shaped)
}

/// Parses the data. Numbers that would be rounded become texts.
fn read(data: &RawValue, warnings: &mut Vec<Warning>) -> serde_json::Result<Value> {
    let kept = as_texts(data.get(), is_exact);
    if let Cow::Owned(_) = kept {
        let message = "numbers with too many digits for a JSON number are strings here";
        warnings.push(Warning::new("numbers_as_texts", message));
    }
    serde_json::from_str(&kept)
}

/// Adds the list of texts that third parties wrote to the top of the data.
fn mark(value: &mut Value, untrusted: &[&str]) {
    let is_there = |path: &&&str| Path::parse(path).is_ok_and(|path| path.is_in(value));
    let listed: Vec<&&str> = untrusted.iter().filter(is_there).collect();
    let listed = json!(listed);
    if let Value::Object(members) = value {
        members.insert(UNTRUSTED.to_owned(), listed);
    }
}

fn raw(text: String) -> Result<Box<RawValue>> {
    RawValue::from_string(text).map_err(unreadable)
}

fn unreadable(error: serde_json::Error) -> Error {
    let message = "the result can't be transformed";
    Error::new(ErrorKind::ProductProtocolError, message).with_source(error)
}

#[cfg(test)]
mod tests;
