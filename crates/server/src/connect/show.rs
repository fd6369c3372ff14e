use std::sync::Arc;

use axum::{extract::State, response::Response};
use stead::core::environment::Environment;

use crate::{boundary::RequestId, extract::Path, pages::Pages, problem::Problem};

/// `GET /connect/{token}`: says who asks for what. Changes nothing, since mail scanners and previews open links too.
pub(super) async fn show(
    State(environment): State<Environment>,
    State(pages): State<Arc<Pages>>,
    id: RequestId,
    token: Result<Path<String>, Problem>,
) -> Response {
    let page = match token {
        Ok(Path(token)) => environment.connect_page(&token).await,
        Err(problem) => Err(problem.error),
    };
    match page {
        Ok(page) => pages.connect(&page),
        Err(error) => pages.failure(&error, id),
    }
}
