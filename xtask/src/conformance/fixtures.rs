//! The fixtures of the products: every request that a tool sends, and the answers to it.

use std::{fs, path::Path};

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::check::{
    answer::{GivenAnswer, GivenBody},
    request::Request,
};

/// A fixture file.
pub(crate) struct File {
    pub(crate) product: String,
    /// The tool that it is about, which is its name.
    pub(crate) tool: String,
    pub(crate) exchanges: Vec<Exchange>,
}

/// A request and its answer.
pub(crate) struct Exchange {
    /// The case that it belongs to.
    pub(crate) case: String,
    /// Name of the origin; nothing for the product's first.
    pub(crate) origin: Option<String>,
    pub(crate) request: Request,
    answer: Value,
}

impl File {
    /// Path from the top of the workspace.
    pub(crate) fn path(&self) -> String {
        format!(
            "crates/products/{}/tests/fixtures/{}.json",
            self.product, self.tool
        )
    }
}

/// Reads `crates/products/*/tests/fixtures/*.json` below `root`, in order.
///
/// # Errors
/// Where a file cannot be read or is not a list of fixtures.
pub(crate) fn read(root: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    for product in names(&root.join("crates/products"))? {
        let folder = root
            .join("crates/products")
            .join(&product)
            .join("tests/fixtures");
        if !folder.is_dir() {
            continue;
        }
        for name in names(&folder)? {
            let Some(tool) = name.strip_suffix(".json") else {
                continue;
            };
            let path = folder.join(&name);
            let text = fs::read_to_string(&path)?;
            let exchanges = exchanges(&text).with_context(|| path.display().to_string())?;
            files.push(File {
                product: product.clone(),
                tool: tool.to_owned(),
                exchanges,
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

fn exchanges(text: &str) -> Result<Vec<Exchange>> {
    let cases: Vec<Value> = serde_json::from_str(text)?;
    let mut exchanges = Vec::new();
    for case in &cases {
        let name = case["name"].as_str().context("a case has no name")?;
        for exchange in case["exchanges"].as_array().into_iter().flatten() {
            let read = self::exchange(name, exchange);
            exchanges.push(read.with_context(|| format!("case {name:?}"))?);
        }
    }
    Ok(exchanges)
}

fn exchange(case: &str, exchange: &Value) -> Result<Exchange> {
    let request = &exchange["request"];
    let text = |name: &str| {
        let value = request[name].as_str();
        value.with_context(|| format!("a request has no {name}"))
    };
    Ok(Exchange {
        case: case.to_owned(),
        origin: request["origin"].as_str().map(str::to_owned),
        request: Request {
            verb: text("method")?.to_owned(),
            target: text("target")?.to_owned(),
            headers: headers(&request["headers"]),
            body: request.get("body").filter(|body| !body.is_null()).cloned(),
        },
        answer: exchange["answer"].clone(),
    })
}

/// Headers as a fixture or a journey writes them.
pub(crate) fn headers(given: &Value) -> Vec<(String, String)> {
    given
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.to_ascii_lowercase(), value.as_str()?.to_owned())))
        .collect()
}

impl Exchange {
    /// The answer.
    pub(crate) fn answer(&self) -> GivenAnswer<'_> {
        let status = self.answer["status"]
            .as_u64()
            .and_then(|status| status.try_into().ok());
        let body = match (self.answer.get("body"), self.answer["body_text"].as_str()) {
            (Some(body), _) if !body.is_null() => GivenBody::Json(body),
            (_, None | Some("")) => GivenBody::Empty,
            (_, Some(_)) => GivenBody::Other,
        };
        GivenAnswer {
            status: status.unwrap_or_default(),
            body,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_are_read_with_their_case() {
        let text = r#"[
            {"name": "none", "input": {}},
            {"name": "two", "exchanges": [
                {"request": {"method": "GET", "target": "/a?b=c", "headers": {"If-Match": "x"}},
                 "answer": {"status": 200, "body": {"d": 1}}},
                {"request": {"method": "POST", "origin": "other", "target": "/e", "body": {}},
                 "answer": {"status": 502, "body_text": "<html>"}}
            ]}
        ]"#;
        let read = exchanges(text).unwrap();
        let [first, second] = read.as_slice() else {
            panic!("{} exchanges", read.len())
        };
        assert_eq!(
            (first.case.as_str(), first.origin.as_deref()),
            ("two", None)
        );
        assert_eq!(
            first.request.headers,
            [("if-match".to_owned(), "x".to_owned())]
        );
        assert!(matches!(first.answer().body, GivenBody::Json(_)));
        assert_eq!(second.origin.as_deref(), Some("other"));
        assert!(matches!(second.answer().body, GivenBody::Other));
        assert!(exchanges(r#"[{"exchanges": []}]"#).is_err());
        assert!(exchanges(r#"[{"name": "a", "exchanges": [{}]}]"#).is_err());
    }
}
