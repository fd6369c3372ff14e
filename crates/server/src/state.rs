//! What every handler can ask for.

use std::sync::Arc;

use axum::extract::FromRef;
use stead::core::environment::Environment;

use crate::pages::Pages;

/// The environment that is served, and its pages.
#[derive(Clone)]
pub(crate) struct ServerState {
    pub(crate) environment: Environment,
    pub(crate) pages: Arc<Pages>,
}

impl FromRef<ServerState> for Environment {
    fn from_ref(state: &ServerState) -> Self {
        state.environment.clone()
    }
}

impl FromRef<ServerState> for Arc<Pages> {
    fn from_ref(state: &ServerState) -> Self {
        Self::clone(&state.pages)
    }
}

/// An address of this environment: the public URL followed by `path`, which starts with a slash.
pub(crate) fn address(environment: &Environment, path: &str) -> String {
    format!(
        "{}{path}",
        environment.public_url().as_str().trim_end_matches('/')
    )
}
