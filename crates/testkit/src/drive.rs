//! Runs a tool without a runtime, with a single poll. This proves that the tool awaits only its
//! `Io`.

use std::{
    fmt,
    pin::pin,
    task::{Context, Poll, Waker},
};

use stead_core::{
    Result,
    tool::{AnyTool, Call, Io, Output},
};

use crate::Canned;

/// A tool awaited something other than its `Io`, which responds immediately here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pending;

impl fmt::Display for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the tool awaited something other than Io")
    }
}

impl std::error::Error for Pending {}

/// Checks and runs a tool against a script, with one poll and no runtime.
///
/// # Errors
/// The tool's own.
///
/// # Panics
/// If the tool awaits something other than its `Io`.
pub fn drive(tool: &dyn AnyTool, call: &Call, canned: &Canned) -> Result<Output> {
    try_drive(tool, call, canned).unwrap_or_else(|pending| panic!("{pending}"))
}

/// As [`drive`], for a test that expects a tool to await something else.
///
/// # Errors
/// [`Pending`] if it does.
pub fn try_drive(
    tool: &dyn AnyTool,
    call: &Call,
    canned: &Canned,
) -> Result<Result<Output>, Pending> {
    if let Err(error) = tool.check() {
        return Ok(Err(error));
    }
    let mut running = pin!(tool.run(call, Io::new(canned)));
    match running
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(result) => Ok(result),
        Poll::Pending => Err(Pending),
    }
}

#[cfg(test)]
mod tests {
    use std::{future::Future, pin::Pin};

    use jiff::Timestamp;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use serde_json::{Value, json};
    use stead_core::{
        product::Product,
        tool::{ApiRequest, Effect, Response, Tool, ToolEntry},
    };
    use uuid::Uuid;

    use super::*;

    static PRODUCT: Product = Product::BASE;

    /// Awaits its `Io`, and then the future that `also` names.
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Planted {
        also: Also,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    enum Also {
        Nothing,
        SomethingNeverDone,
        OneYield,
    }

    impl Tool for Planted {
        const NAME: &'static str = "planted_tool";
        const EFFECT: Effect = Effect::Read;
        type Output = Value;
        async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
            let response = io.send(ApiRequest::get(["thing"])).await?;
            match self.also {
                Also::Nothing => {}
                Also::SomethingNeverDone => std::future::pending().await,
                Also::OneYield => Yield { yielded: false }.await,
            }
            Ok(response.into())
        }
    }

    struct Yield {
        yielded: bool,
    }

    impl Future for Yield {
        type Output = ();
        fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
            if std::mem::replace(&mut self.yielded, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        }
    }

    fn run(also: &str) -> Result<Result<Output>, Pending> {
        let tool = ToolEntry::of::<Planted>()
            .parse(json!({ "also": also }))
            .unwrap();
        let canned = Canned::new(&PRODUCT, [Response::new(200, http::HeaderMap::new(), "{}")]);
        try_drive(
            &*tool,
            &Call::new(Uuid::nil(), Timestamp::UNIX_EPOCH),
            &canned,
        )
    }

    #[test]
    fn a_tool_that_awaits_only_io_is_done_in_one_poll() {
        assert!(run("Nothing").unwrap().is_ok());
    }

    #[test]
    fn a_tool_that_awaits_something_else_is_caught() {
        assert_eq!(run("SomethingNeverDone").unwrap_err(), Pending);
        assert_eq!(run("OneYield").unwrap_err(), Pending);
    }

    #[test]
    #[should_panic(expected = "the tool awaited something other than Io")]
    fn drive_panics_at_a_tool_that_awaits_something_else() {
        let canned = Canned::new(&PRODUCT, [Response::new(200, http::HeaderMap::new(), "{}")]);
        let call = Call::new(Uuid::nil(), Timestamp::UNIX_EPOCH);
        let _ = drive(
            &Planted {
                also: Also::OneYield,
            },
            &call,
            &canned,
        );
    }

    #[test]
    fn a_request_without_a_response_is_an_error() {
        let canned = Canned::new(&PRODUCT, []);
        let call = Call::new(Uuid::nil(), Timestamp::UNIX_EPOCH);
        let error = drive(
            &Planted {
                also: Also::Nothing,
            },
            &call,
            &canned,
        )
        .unwrap_err();
        assert!(
            error.message().contains("no response is scripted for GET"),
            "{error}"
        );
    }
}
