//! What is removed where nobody needs it any more: a statement for each kind of row, oldest rows first.

use stead_core::store::{
    AccessTokenRow, AuthorizationRow, CredentialRow, EventRow, ExecutionRow, Horizon,
};

use crate::{
    engine::{Statement, Value},
    query::Query,
};

/// The statements that remove what lies before the horizon, at most `limit` rows each.
///
/// None of them removes ciphertext that still opens anything, so no copy of it has to be hunted down afterwards: a
/// credential here is shredded, and the verifier of an ended authorization is spent.
pub(crate) fn removals(horizon: &Horizon, limit: u32) -> [Statement; 5] {
    let access_tokens = Query::<AccessTokenRow>::all()
        .only("\"expires_at\" <", Value::moment(horizon.access_tokens))
        .order("\"expires_at\"");
    let executions = Query::<ExecutionRow>::all()
        .only("\"started_at\" <", Value::moment(horizon.executions))
        .order("\"started_at\"");
    let events = Query::<EventRow>::all()
        .only("\"at\" <", Value::moment(horizon.events))
        .order("\"at\"");
    let authorizations = Query::<AuthorizationRow>::all()
        .only("\"pending\" =", Value::flag(false))
        .only("\"expires_at\" <", Value::moment(horizon.authorizations))
        .order("\"expires_at\"");
    let credentials = Query::<CredentialRow>::all()
        .only("\"live\" =", Value::flag(false))
        .only("\"created_at\" <", Value::moment(horizon.credentials))
        .order("\"created_at\"");
    [
        access_tokens.limit(limit).into_removal(),
        executions.limit(limit).into_removal(),
        events.limit(limit).into_removal(),
        authorizations.limit(limit).into_removal(),
        credentials.limit(limit).into_removal(),
    ]
}
