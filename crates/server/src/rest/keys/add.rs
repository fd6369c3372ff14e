//! `POST /v1/keys`: responds 201 with the data key, with which nothing is sealed before it is activated.

use http::StatusCode;
use stead::core::resource::DataKey;

use crate::{
    extract::{Acting, Json},
    problem::Result,
};

pub(in crate::rest) async fn add(
    Acting(environment): Acting,
) -> Result<(StatusCode, Json<DataKey>)> {
    Ok((StatusCode::CREATED, Json(environment.add_key().await?)))
}
