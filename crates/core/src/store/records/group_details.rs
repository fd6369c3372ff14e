//! Details that only some executions of a row have: a trace ID, the path of a raw request, or the product's status.
//! They are separate from the calls, so other calls don't use space for them. An older server that merges rows drops
//! them.

use std::hash::Hash;

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use crate::{domain::Execution, trace::TraceId};

/// The trace ID of each call that has one, by the call's number. Few calls have one, so it isn't part of the calls'
/// format.
#[derive(Serialize, Deserialize)]
pub(super) struct Traces(Vec<(u32, [u8; 16])>);

impl Traces {
    /// As [`packed`]; empty if no call has one.
    pub(super) fn to_text(calls: &[&Execution]) -> String {
        let numbers = 0_u32..;
        let traces = numbers.zip(calls);
        let traces = traces.filter_map(|(number, call)| Some((number, call.trace_id?.to_bytes())));
        let traces = Self(traces.collect());
        match traces.0.is_empty() {
            true => String::new(),
            false => packed(&traces),
        }
    }

    /// Adds trace IDs to the calls. `None` if the text can't be read.
    pub(super) fn add(text: &str, mut calls: Vec<Execution>) -> Option<Vec<Execution>> {
        if text.is_empty() {
            return Some(calls);
        }
        for (number, bytes) in unpacked::<Self>(text)?.0 {
            calls.get_mut(number as usize)?.trace_id = TraceId::from_bytes(bytes);
        }
        Some(calls)
    }
}

/// Paths and statuses of raw requests, and statuses of calls that failed. Most calls have neither.
#[derive(Serialize, Deserialize)]
pub(super) struct Responses {
    paths: Vec<String>,
    /// The call's number, its path, and the status.
    calls: Vec<(u32, Option<u32>, Option<u16>)>,
}

impl Responses {
    /// As [`packed`]; empty if no call has any.
    pub(super) fn to_text(calls: &[&Execution]) -> String {
        let mut paths = Names::default();
        let has_any = |call: &Execution| call.path.is_some() || call.product_status.is_some();
        let numbered = (0_u32..).zip(calls);
        let calls: Vec<_> = numbered
            .filter(|(_, call)| has_any(call))
            .map(|(number, call)| {
                let path = call.path.as_deref().map(|path| paths.number(path));
                (number, path, call.product_status)
            })
            .collect();
        if calls.is_empty() {
            return String::new();
        }
        let paths = paths.owned(str::to_owned);
        packed(&Self { paths, calls })
    }

    /// Adds these details to the calls. `None` if the text can't be read.
    pub(super) fn add(text: &str, mut calls: Vec<Execution>) -> Option<Vec<Execution>> {
        if text.is_empty() {
            return Some(calls);
        }
        let read: Self = unpacked(text)?;
        for (number, path, status) in read.calls {
            let call = calls.get_mut(number as usize)?;
            if let Some(path) = path {
                call.path = Some(read.paths.get(path as usize)?.clone());
            }
            call.product_status = status;
        }
        Some(calls)
    }
}

/// Writing to memory doesn't fail. If it did, the row would read as damaged.
pub(super) fn packed(value: &impl Serialize) -> String {
    STANDARD_NO_PAD.encode(postcard::to_allocvec(value).unwrap_or_default())
}

pub(super) fn unpacked<T: for<'de> Deserialize<'de>>(text: &str) -> Option<T> {
    postcard::from_bytes(&STANDARD_NO_PAD.decode(text).ok()?).ok()
}

/// A list without duplicates. Names are copied at the end, because most calls share them.
pub(super) struct Names<T> {
    list: Vec<T>,
    numbers: HashMap<T, u32>,
    /// The last lookup, which is often the next one too.
    last: Option<(T, u32)>,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            numbers: HashMap::default(),
            last: None,
        }
    }
}

impl<T: Copy + Eq + Hash> Names<T> {
    pub(super) fn number(&mut self, name: T) -> u32 {
        if let Some((last, number)) = self.last
            && last == name
        {
            return number;
        }
        let next = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(name).or_insert_with(|| {
            self.list.push(name);
            next
        });
        self.last = Some((name, number));
        number
    }

    pub(super) fn owned<O>(self, own: impl Fn(T) -> O) -> Vec<O> {
        self.list.into_iter().map(own).collect()
    }
}
