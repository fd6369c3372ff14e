//! `GET /v1/executions/{execution_id}`.

use stead::core::resource::ExecutionRecord;

use crate::{
    extract::{Acting, Json, Path, Query},
    problem::Result,
};

pub(in crate::rest) async fn read(
    Acting(environment): Acting,
    Path(execution_id): Path<String>,
    query: Query,
) -> Result<Json<ExecutionRecord>> {
    query.end()?;
    Ok(Json(environment.execution(&execution_id).await?))
}
