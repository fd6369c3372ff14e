//! Lists that go on on another page.

use serde::Deserialize;
use stead_core::tool::{Output, Response};

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    has_more: bool,
}

/// A list as it came, with a warning where it goes on.
pub(crate) fn listed(response: Response) -> Output {
    let goes_on = response
        .json::<Listed>()
        .is_ok_and(|listed| listed.has_more);
    let output = Output::from(response);
    if goes_on { warned(output) } else { output }
}

/// The warning that a list goes on.
pub(crate) fn warned(output: Output) -> Output {
    let message = "there is more; give the result's next_cursor as start_cursor to read on";
    output.warn("has_more", message)
}
