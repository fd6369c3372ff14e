//! What the signature of a handler says of its operation: the types of its arguments, and of what it returns.

use axum::{
    extract::{Request, State},
    response::{AppendHeaders, Response},
};
use http::{HeaderMap, HeaderName, Method, StatusCode, Uri};
use schemars::JsonSchema;
use serde_json::json;

use super::Draft;
use crate::{
    caller::Stopping,
    extract::{Acting, IdempotencyKey, Json, Path, Query},
    problem::Problem,
    replayed::Replayed,
};

/// A handler whose arguments and result are known. `T` is the tuple by which axum tells handlers apart.
pub(crate) trait Signature<T> {
    fn describe(draft: &mut Draft<'_>);
}

/// An argument of a handler.
pub(crate) trait Argument {
    fn describe(_: &mut Draft<'_>) {}
}

/// What a handler returns.
pub(crate) trait Returned {
    fn describe(draft: &mut Draft<'_>);
}

impl<F, U, R> Signature<((),)> for F
where
    F: FnOnce() -> U,
    U: Future<Output = R>,
    R: Returned,
{
    fn describe(draft: &mut Draft<'_>) {
        R::describe(draft);
    }
}

macro_rules! signatures {
    ($([$($argument:ident)+])+) => {$(
        impl<F, U, R, M, $($argument),+> Signature<(M, $($argument),+,)> for F
        where
            F: FnOnce($($argument),+) -> U,
            U: Future<Output = R>,
            R: Returned,
            $($argument: Argument),+
        {
            fn describe(draft: &mut Draft<'_>) {
                $($argument::describe(draft);)+
                R::describe(draft);
            }
        }
    )+};
}

signatures! { [A] [A B] [A B C] [A B C D] [A B C D E] [A B C D E G] }

impl Argument for Acting {}
impl<T> Argument for Path<T> {}
impl Argument for Query {}
impl<T> Argument for State<T> {}
impl Argument for HeaderMap {}
impl Argument for Method {}
impl Argument for Request {}
impl Argument for Uri {}
impl Argument for Stopping {}

impl<T: JsonSchema> Argument for Json<T> {
    fn describe(draft: &mut Draft<'_>) {
        draft.takes::<T>();
    }
}

impl Argument for IdempotencyKey {
    fn describe(draft: &mut Draft<'_>) {
        draft.replays = true;
        draft.takes_header(
            "Idempotency-Key",
            "Makes it safe to retry this call: 1 to 255 printable ASCII characters, unique to it.",
            &json!({ "type": "string", "minLength": 1, "maxLength": 257, "pattern": "^[ -~]+$" }),
        );
    }
}

impl<R: Returned> Returned for Result<R, Problem> {
    fn describe(draft: &mut Draft<'_>) {
        R::describe(draft);
    }
}

impl<T: JsonSchema> Returned for Json<T> {
    fn describe(draft: &mut Draft<'_>) {
        draft.gives::<T>(draft.status);
    }
}

/// What a handler has a status of its own for is made by it.
impl<R: Returned> Returned for (StatusCode, R) {
    fn describe(draft: &mut Draft<'_>) {
        draft.status = 201;
        R::describe(draft);
    }
}

impl<R: Returned> Returned for (StatusCode, AppendHeaders<[(HeaderName, String); 1]>, R) {
    fn describe(draft: &mut Draft<'_>) {
        <(StatusCode, R)>::describe(draft);
        let schema = json!({ "type": "string", "format": "uri" });
        let header = json!({ "description": "URL of the created resource.", "schema": schema });
        draft.gives_header(draft.status, "Location", header);
    }
}

/// These headers are those of errors too, and are described with them.
impl<R: Returned> Returned for (AppendHeaders<[(HeaderName, String); 1]>, Replayed, R) {
    fn describe(draft: &mut Draft<'_>) {
        R::describe(draft);
    }
}

impl Returned for StatusCode {
    fn describe(draft: &mut Draft<'_>) {
        draft.gives_nothing(204);
    }
}

/// It can be anything: the table of routes says what.
impl Returned for Response {
    fn describe(_: &mut Draft<'_>) {}
}
