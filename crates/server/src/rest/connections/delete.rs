use axum::extract::State;
use stead::core::environment::Environment;

use crate::{authentication::Authenticated, extract::Path, problem::Answer, rest::nothing};

/// `DELETE /v1/connections/{connection_name}`: refused while accounts live under it.
pub(in crate::rest) async fn delete(
    _: Authenticated,
    State(environment): State<Environment>,
    Path(connection_name): Path<String>,
) -> Answer {
    environment.delete_connection(&connection_name).await?;
    nothing()
}
