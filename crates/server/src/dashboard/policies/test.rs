//! `POST /dashboard/policies/{policy_name}/test`: explains the decision on a call, without sending it.

use axum::response::Response;
use http::StatusCode;
use minijinja::{context, value::Serde};
use serde_json::{Value, json};
use stead::{Error, ErrorKind};
use stead_core::resource::{PolicyTest, ReadPolicy};

use super::{
    editor::Editor,
    read::{document, show},
};
use crate::{
    dashboard::{form::Form, page::Page},
    extract::{Path, json::read_json},
    problem::{Result, status},
};

/// Fields of the form, by the members of the test.
const FIELDS: [&str; 6] = ["caller", "tool", "input", "product", "method", "path"];

pub(super) async fn test(page: Page, Path(name): Path<String>, form: Form) -> Result<Response> {
    let policy = page.environment.send(ReadPolicy::new(&name)).await?;
    let mut given = json!({});
    for field in FIELDS.into_iter().chain(["body"]) {
        given[field] = json!(form.text(field).unwrap_or_default());
    }
    let asked = asked(&name, &given);
    let decided = match asked {
        Ok(asked) => page.environment.send(asked).await,
        Err(error) => Err(error),
    };
    let editor = Editor::of(&document(&policy));
    let (code, outcome) = match decided {
        Ok(decision) => (StatusCode::OK, context! { decision => Serde(decision) }),
        Err(error) if error.kind() == ErrorKind::StorageUnavailable => return Err(error.into()),
        Err(error) => {
            let places = error.violation_list().iter();
            let places: Vec<_> = places.map(|one| (&one.path, &one.message)).collect();
            let said = context! { test_error => error.message(), test_places => Serde(places) };
            (status(error.kind()), said)
        }
    };
    let test = context! { test => Serde(given), ..outcome };
    Ok(show(&page, code, &policy, &editor, test))
}

/// Decides with this policy and those of the environment, or with the policies of the given caller.
fn asked(name: &str, given: &Value) -> Result<PolicyTest, Error> {
    let text = |field: &str| {
        let text = given[field].as_str().filter(|text| !text.is_empty());
        text.map(str::to_owned)
    };
    let json = |field: &str| match text(field) {
        Some(text) => read_json(text.as_bytes()).map_err(|_: Error| {
            Error::invalid_at(
                format!("/{field}"),
                "this isn’t valid JSON; check quotes, commas and brackets",
            )
        }),
        None => Ok(Value::Null),
    };
    let mut test = PolicyTest::default();
    test.caller = text("caller");
    if test.caller.is_none() {
        test.policies = vec![name.to_owned()];
    }
    test.tool = text("tool");
    if test.tool.is_some() {
        test.input = match json("input")? {
            Value::Null => json!({}),
            input => input,
        };
    } else {
        test.product = text("product");
        test.method = text("method");
        test.path = text("path");
        test.body = json("body")?;
    }
    Ok(test)
}
