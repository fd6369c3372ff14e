//! `stead openapi`: a service's API description, for client generators.

use clap::Args;

use crate::terminal::Terminal;

/// Print the OpenAPI 3.1 document of a service. A running service has the same at `/openapi.json`.
#[derive(Debug, Args)]
pub(crate) struct OpenApi {
    /// URL at which your application reaches the service.
    #[arg(
        long,
        env = "STEAD_PUBLIC_URL",
        value_name = "URL",
        default_value = "http://127.0.0.1:8484"
    )]
    public_url: String,
}

impl OpenApi {
    pub(crate) fn run(self, terminal: &Terminal) {
        let document = stead_server::openapi(&self.public_url);
        match terminal.json() {
            true => terminal.result_json(&document),
            false => terminal.result(format_args!("{document:#}")),
        }
    }
}
