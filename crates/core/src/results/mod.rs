//! A result as the caller asked for it: in a readable view, with only some members, within a number of bytes.
//!
//! The steps stand in this order: the [view](View), then the fields, whose paths name members of that view, then
//! the number of bytes, to which the longest texts and lists are cut. All of it is pure and always gives the same for the same result. A
//! result of which nothing is asked never comes here: its bytes pass as they are.

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

/// What is known of a result besides its data.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// Readable view of the tool, where it has one.
    pub readable: Option<ReadableView>,
    /// JSON Schema of the data in the view that is asked for.
    pub schema: &'a Value,
    /// Parameter of the tool with which a caller asks for fewer items.
    pub page_size: Option<&'a str>,
    /// Whether the call only reads. The result of one that changed something is given in any case: an error would say
    /// that nothing happened.
    pub only_reads: bool,
}

/// A result as it was asked for.
#[derive(Debug)]
#[non_exhaustive]
pub struct Shaped {
    /// The data.
    pub data: Box<RawValue>,
    /// What is not in it, and how to get that.
    pub warnings: Vec<Warning>,
    /// The largest of what is in it only in part, or only by its name, the largest first.
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

/// The data as the options ask for it, and what is not in it.
///
/// # Errors
/// [`ErrorKind::InvalidRequest`] at `/fields` for a text that is not a path, and at `/max_bytes` where the smallest form of the
/// data is larger.
pub fn shape(data: Box<RawValue>, options: &ResultOptions, origin: Origin<'_>) -> Result<Shaped> {
    let paths = options.paths()?;
    let view = origin.readable.filter(|_| options.view == View::Readable);
    let budget = options.max_bytes();
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

/// The data as a value. A number that would be rounded is a text in it.
fn read(data: &RawValue, warnings: &mut Vec<Warning>) -> serde_json::Result<Value> {
    let kept = as_texts(data.get(), is_exact);
    if let Cow::Owned(_) = kept {
        let message = "numbers with too many digits for a JSON number are strings here";
        warnings.push(Warning::new("numbers_as_texts", message));
    }
    serde_json::from_str(&kept)
}

/// Says at the top of the data which texts in it third parties wrote.
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
