//! `POST /v1/mcp-sessions`: responds 201 with the token, which is shown this once.

use http::StatusCode;
use stead::core::resource::{IssuedMcpSession, NewMcpSession};

use crate::{
    extract::{Acting, Json},
    problem::Result,
};

pub(in crate::rest) async fn create(
    Acting(environment): Acting,
    Json(new): Json<NewMcpSession>,
) -> Result<(StatusCode, Json<IssuedMcpSession>)> {
    let session = environment.create_mcp_session(new).await?;
    Ok((StatusCode::CREATED, Json(session)))
}
