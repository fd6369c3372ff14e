//! Tests a connection with a real consent of the member at the product, then a read-only call. It uses an ordinary
//! authorization and an ordinary account, with an identifier that says it's for tests. The test stores nothing itself,
//! so it continues after a restart and in another process.

mod causes;
mod disconnect;
mod run;
mod show;
mod start;

use crate::dashboard::{
    session::{Role, SignedIn},
    table::{PageRoute, StepUp, action, page},
};

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        page(
            "/dashboard/connections/{connection_name}/test",
            Role::Viewer,
            show::show,
        ),
        action(
            "/dashboard/connections/{connection_name}/test/start",
            Role::Operator,
            StepUp::No,
            "POST /v1/authorization-links",
            start::start,
        ),
        // It first confirms the user, as an application does.
        action(
            "/dashboard/connections/{connection_name}/test/run",
            Role::Operator,
            StepUp::No,
            "POST /v1/tools/{name}/execute",
            run::run,
        ),
        action(
            "/dashboard/connections/{connection_name}/test/disconnect",
            Role::Operator,
            StepUp::No,
            "DELETE /v1/accounts/{connection_name}/{identifier}",
            disconnect::disconnect,
        ),
    ]
}

fn path(connection_name: &str) -> String {
    format!("/dashboard/connections/{connection_name}/test")
}

/// The identifier of a member's test account. No application uses such identifiers.
fn identifier(member: &SignedIn) -> String {
    format!("connection-test-{}", member.member_id)
}
