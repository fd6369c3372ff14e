//! `POST /v1/authorizations/{authorization_id}/verify`: the application confirms who came back; responds with the account.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use stead::core::resource::Account;

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

/// Who came back.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(example = json!({ "identifier": "user-1" }))]
#[serde(deny_unknown_fields)]
pub(in crate::rest) struct Verify {
    /// The application's id of the user who is signed in at the browser that came back.
    identifier: String,
}

pub(in crate::rest) async fn verify(
    Acting(environment): Acting,
    Path(authorization_id): Path<String>,
    Json(Verify { identifier }): Json<Verify>,
) -> Result<Json<Account>> {
    let account = environment
        .verify_authorization(&authorization_id, &identifier)
        .await?;
    Ok(Json(account))
}
