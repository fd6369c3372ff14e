//! `GET /v1/keys?count_rows=`.

use stead::core::resource::Keys;

use crate::{
    extract::{Acting, Json, Query},
    openapi::{Parameter, flag},
    problem::Result,
};

pub(in crate::rest) const QUERY: &[Parameter] = &[flag(
    "count_rows",
    "Also counts the rows that each key encrypts. This reads every row with a secret.",
)];

pub(in crate::rest) async fn list(
    Acting(environment): Acting,
    mut query: Query,
) -> Result<Json<Keys>> {
    let count_rows = query.flag("count_rows")?;
    query.end()?;
    Ok(Json(environment.keys(count_rows).await?))
}
