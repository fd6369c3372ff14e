//! `GET /dashboard/tools/{name}`.

use axum::response::Response;
use minijinja::{context, value::Serde};
use serde_json::{Value, json};

use super::{parameters::parameters, tokens};
use crate::{
    dashboard::page::Page,
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn read(page: Page, Path(name): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    let catalogue = page.environment.catalogue();
    let tool = page.environment.tool(&name)?;
    let versions: Vec<&str> = catalogue.versions(&name);
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
    let body = json!({ "connection_name": tool.product, "identifier": "user-1", "input": {} });
    let call = format!(
        "curl {}/v1/tools/{}/execute \\\n  -H \"Authorization: Bearer $TOKEN\" \\\n  -H \"Content-Type: application/json\" \\\n  -d '{body}'",
        page.environment.public_url().as_str().trim_end_matches('/'),
        tool.name,
    );
    let product = catalogue.product(&tool.product);
    let scopes: Vec<_> = tool
        .scopes
        .iter()
        .map(|scope| {
            let text = product.and_then(|product| product.describe_scope(scope, "en"));
            (scope.clone(), text)
        })
        .collect();
    let context = context! {
        title => product.map(|product| product.title),
        parameters => Serde(parameters(&tool.input_schema)),
        results => Serde(parameters(&tool.output_schema)),
        input_schema => pretty(&tool.input_schema),
        output_schema => pretty(&tool.output_schema),
        versions => versions,
        tokens => tokens(catalogue, &tool.name)?,
        scopes => scopes,
        call => call,
        tool => Serde(tool),
    };
    Ok(page.render("tools/read.html", context))
}
