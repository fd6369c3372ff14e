//! Lists that have further pages.

use serde::Deserialize;
use stead_core::tool::{Output, Response};

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    has_more: bool,
}

/// A list unchanged, with a warning if there are more items.
pub(crate) fn listed(response: Response) -> Output {
    let goes_on = response
        .json::<Listed>()
        .is_ok_and(|listed| listed.has_more);
    let output = Output::from(response);
    if goes_on { warned(output) } else { output }
}

/// The warning that there are more items.
pub(crate) fn warned(output: Output) -> Output {
    let message =
        "there are more results; to read them, set start_cursor to the result's next_cursor";
    output.warn("has_more", message)
}
