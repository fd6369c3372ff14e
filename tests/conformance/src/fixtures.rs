//! The products' fixtures: every request that a tool sends, with its response.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, anyhow};
use serde_json::{Map, Value};
use stead_testkit::fixture::{self, Fixture};

use super::check::{
    request::Request,
    response::{Response, ResponseBody},
};

pub(crate) struct File {
    pub(crate) product: String,
    /// The tool's name, including the product.
    pub(crate) tool: String,
    /// The file name.
    name: String,
    pub(crate) exchanges: Vec<Exchange>,
}

pub(crate) struct Exchange {
    /// The case that contains it.
    pub(crate) case: String,
    pub(crate) request: Request,
    fixture: fixture::Exchange,
}

impl File {
    /// The path from the root of the workspace.
    pub(crate) fn path(&self) -> String {
        format!(
            "crates/products/{}/tests/fixtures/{}",
            self.product, self.name
        )
    }
}

/// Reads `crates/products/*/tests/fixtures/*.json`, in order.
///
/// # Errors
/// If a file can't be read, or isn't a fixture.
pub(crate) fn read() -> Result<Vec<File>> {
    let products = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/products");
    let mut files = Vec::new();
    for product in names(&products)? {
        let folder = products.join(&product).join("tests/fixtures");
        if !folder.is_dir() {
            continue;
        }
        for name in names(&folder)? {
            let fixture = Fixture::read(&folder.join(&name)).map_err(|error| anyhow!(error))?;
            let exchanges = fixture.cases.into_iter().flat_map(|case| {
                let name = case.name;
                let exchanges = case.exchanges.into_iter();
                exchanges.map(move |fixture| Exchange::new(name.clone(), fixture))
            });
            files.push(File {
                product: product.clone(),
                tool: format!("{product}_{}", fixture.tool),
                name,
                exchanges: exchanges.collect(),
            });
        }
    }
    Ok(files)
}

fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        names.extend(entry?.file_name().into_string());
    }
    names.sort();
    Ok(names)
}

/// The headers of a fixture or a journey.
pub(crate) fn headers(given: &Map<String, Value>) -> Vec<(String, String)> {
    given
        .iter()
        .filter_map(|(name, value)| Some((name.to_ascii_lowercase(), value.as_str()?.to_owned())))
        .collect()
}

impl Exchange {
    fn new(case: String, fixture: fixture::Exchange) -> Self {
        let request = &fixture.request;
        Self {
            case,
            request: Request {
                verb: request.method.clone(),
                target: request.target.clone(),
                headers: headers(&request.headers),
                body: request.body.clone(),
            },
            fixture,
        }
    }

    /// The name of the origin. `None` for the product's main origin.
    pub(crate) fn origin(&self) -> Option<&str> {
        self.fixture.request.origin.as_deref()
    }

    pub(crate) fn response(&self) -> Response<'_> {
        let response = &self.fixture.response;
        let body = match (&response.body, response.body_text.as_deref()) {
            (Some(body), _) => ResponseBody::Json(body),
            (None, None | Some("")) => ResponseBody::Empty,
            (None, Some(_)) => ResponseBody::Other,
        };
        Response {
            status: response.status,
            body,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_exchange_is_read() {
        let exchange = |value: Value| {
            let fixture = serde_json::from_value(value).unwrap();
            Exchange::new("case".to_owned(), fixture)
        };
        let first = exchange(json!({
            "request": {"method": "GET", "target": "/a?b=c", "headers": {"If-Match": "x"}},
            "response": {"status": 200, "body": {"d": 1}}
        }));
        assert_eq!(first.origin(), None);
        assert_eq!(
            first.request.headers,
            [("if-match".to_owned(), "x".to_owned())]
        );
        assert!(matches!(first.response().body, ResponseBody::Json(_)));
        let second = exchange(json!({
            "request": {"method": "POST", "origin": "other", "target": "/e", "body": {}},
            "response": {"status": 502, "body_text": "<html>"}
        }));
        assert_eq!(second.origin(), Some("other"));
        assert!(matches!(second.response().body, ResponseBody::Other));
    }
}
