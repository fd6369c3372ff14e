//! `GET /dashboard/playground?connection_name=&identifier=&tool=`, and `input=` or a field for each value.

use axum::response::Response;
use minijinja::{context, value::Serde};
use serde_json::Value;
use stead::Error;
use stead_core::{resource::Execution, tool::Effect};

use super::{
    asked::Asked,
    chosen::{self, Chosen},
    fields,
    outcome::outcome,
    snippets,
};
use crate::{dashboard::page::Page, extract::Query, problem::Result};

pub(super) async fn show(page: Page, query: Query) -> Result<Response> {
    let asked = Asked::by_query(query)?;
    let chosen = Chosen::of(&page, &asked).await?;
    Ok(with(&page, &asked, &chosen, None))
}

/// The outcome of a call that was just made.
pub(super) struct Ran {
    pub(super) result: Result<Execution, Error>,
    pub(super) micros: u64,
}

/// The page, with the outcome of a call.
pub(super) fn with(page: &Page, asked: &Asked, chosen: &Chosen, ran: Option<Ran>) -> Response {
    let Some((connection, tool)) = chosen.connection.as_ref().zip(chosen.tool.as_ref()) else {
        return page.render("playground/show.html", context! { chosen => Serde(chosen) });
    };
    let name = connection.connection_name.to_string();
    let schema = &tool.input_schema;
    let mut input = asked.input(schema);
    if !input.is_given
        && let Some(sample) = chosen::sample(page, &name).filter(|sample| sample.tool == tool.name)
    {
        input.value = sample.input.clone();
    }
    let unknown = match input.as_json {
        // A form would lose the members that it has no field for.
        false => fields::unknown(schema, &input.value),
        true => Vec::new(),
    };
    let as_json = input.as_json || !unknown.is_empty();
    let error = ran.as_ref().and_then(|ran| ran.result.as_ref().err());
    let mut violations = error
        .map(|error| error.violation_list().to_vec())
        .unwrap_or_default();
    let parts = match as_json {
        false => fields::show(schema, &input.value, asked.add.as_deref(), &mut violations),
        true => Vec::new(),
    };
    let (json, fault) = match input.unreadable {
        Some((text, why)) => (text, Some(why)),
        None => (
            serde_json::to_string_pretty(&input.value).unwrap_or_default(),
            None,
        ),
    };
    let url = page.environment.public_url().as_str().trim_end_matches('/');
    // The call itself refuses an invalid value.
    let options = asked.wanted.options().unwrap_or_default();
    let call = (tool.name.as_str(), &input.value, &options);
    let snippets = snippets::of_tool(url, (&name, &chosen.identifier), call);
    let context = context! {
        chosen => Serde(chosen),
        connection_name => name,
        tool => tool.name.as_str(),
        description => first_paragraph(&tool.description),
        effect => tool.effect.name(),
        reads => tool.effect == Effect::Read,
        parts => Serde(parts),
        as_json => as_json,
        json => json,
        fault => fault,
        unknown => unknown,
        wanted => Serde(&asked.wanted),
        asks => asked.wanted.is_given(),
        snippets => snippets,
        key => key(page),
        outcome => ran.map(|ran| Serde(outcome(&ran.result, ran.micros, violations))),
    };
    page.render("playground/show.html", context)
}

fn first_paragraph(description: &str) -> &str {
    description.split("\n\n").next().unwrap_or_default()
}

/// A key for the form's next call.
fn key(page: &Page) -> String {
    let mut bytes = [0; 16];
    page.environment.entropy().fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The input of a call to make.
pub(super) fn readable_input(asked: &Asked, schema: &Value) -> Option<Value> {
    let input = asked.input(schema);
    input.unreadable.is_none().then_some(input.value)
}
