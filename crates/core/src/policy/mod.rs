//! Policies, which allow, deny or require approval for calls, people's approvals, and requests that a connection has to
//! allow.

mod admit;
pub(crate) mod approvals;
mod decide;
mod delete;
mod guard;
mod read;
mod set;

pub(crate) use admit::{Action, Admission, Passing, admit};
pub(crate) use approvals::{Subject, expire as expire_approvals};
pub(crate) use decide::{Because, Decided, Sending, effect, request, tool};
pub(crate) use delete::delete;
pub(crate) use guard::{guard, guard_reads_body, guarded};
pub(crate) use read::{list, read};
pub(crate) use set::set;

use crate::{Error, ErrorKind};

fn missing(name: &str) -> Error {
    let shown: String = name.chars().take(80).collect();
    Error::new(
        ErrorKind::NotFound,
        format!("no policy has the name {shown:?}"),
    )
}
