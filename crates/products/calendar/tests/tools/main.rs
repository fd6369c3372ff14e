//! Requests and results of tools for unusual responses of the product.

mod links;
mod moved;
mod repeat;
mod view;

use http::HeaderMap;
use serde_json::Value;
use stead_calendar::PRODUCT;
use stead_core::{
    Result,
    tool::{Response, Tool, ToolEntry},
};
use stead_testkit::{Canned, drive, fixture::CallSetup};

/// Runs a tool with these responses. Returns its output and the requests that it sent.
#[track_caller]
fn run<T: Tool>(input: Value, responses: &[Value]) -> (Result<Value>, Canned) {
    let responses = responses.iter();
    let responses = responses.map(|body| Response::new(200, HeaderMap::new(), body.to_string()));
    let canned = Canned::new(&PRODUCT, responses);
    let tool = ToolEntry::of::<T>().parse(input).expect("an input");
    let call = CallSetup::default().to_call(&PRODUCT);
    let result = drive(&*tool, &call, &canned).map(|output| {
        let (data, _) = output.into_json().expect("JSON");
        serde_json::from_str(data.get()).expect("JSON")
    });
    (result, canned)
}

/// The readable view of a tool's output.
#[track_caller]
fn view<T: Tool>(input: Value, responses: &[Value]) -> Value {
    let data = run::<T>(input, responses).0.expect("an output");
    T::READABLE.expect("a view").of(data).expect("JSON")
}
