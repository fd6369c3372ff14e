//! `GET /dashboard/tools?product=&effect=`.

use axum::response::Response;
use minijinja::{context, value::Serde};
use serde::Serialize;
use stead_core::{
    catalogue::Catalogue,
    resource::{ToolDescription, ToolFilter},
    tool::Effect,
};

use super::tokens;
use crate::{dashboard::page::Page, extract::Query, problem::Result};

/// The tools of a product.
#[derive(Debug, Serialize)]
struct Group {
    name: &'static str,
    title: &'static str,
    tools: Vec<Tool>,
    tokens: u64,
}

#[derive(Debug, Serialize)]
struct Tool {
    name: String,
    effect: &'static str,
    description: String,
    tokens: u64,
}

const EFFECTS: [(&str, Effect); 3] = [
    (Effect::Read.name(), Effect::Read),
    (Effect::Write.name(), Effect::Write),
    (Effect::Delete.name(), Effect::Delete),
];

pub(super) async fn list(page: Page, mut query: Query) -> Result<Response> {
    let product = query.text("product")?;
    let mut filter = ToolFilter::default();
    filter.products = product.iter().cloned().collect();
    filter.effect = query.one_of("effect", &EFFECTS)?;
    query.end()?;
    let effect = filter.effect.map(Effect::name);
    let tools = page.environment.tools(filter).await?;
    let catalogue = page.environment.catalogue();
    let mut groups = Vec::new();
    for product in catalogue.products() {
        let of_product = tools.iter().filter(|tool| tool.product == product.name);
        let described = of_product.map(|tool| describe(catalogue, tool));
        let tools = described.collect::<Result<Vec<Tool>>>()?;
        if !tools.is_empty() {
            groups.push(Group {
                name: product.name,
                title: product.title,
                tokens: tools.iter().map(|tool| tool.tokens).sum(),
                tools,
            });
        }
    }
    let products: Vec<_> = catalogue
        .products()
        .iter()
        .map(|product| (product.name, product.title))
        .collect();
    let context = context! {
        groups => Serde(groups),
        total => tools.len(),
        products => Serde(products),
        product => product,
        effect => effect,
    };
    Ok(page.render("tools/list.html", context))
}

fn describe(catalogue: &Catalogue, tool: &ToolDescription) -> Result<Tool> {
    Ok(Tool {
        name: tool.name.clone(),
        effect: tool.effect.name(),
        // The list only shows the first paragraph. The tool's page has the rest.
        description: tool
            .description
            .split("\n\n")
            .next()
            .unwrap_or_default()
            .to_owned(),
        tokens: tokens(catalogue, &tool.name)?,
    })
}
