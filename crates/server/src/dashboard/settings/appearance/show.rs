//! `GET /dashboard/settings/appearance`.

use axum::response::Response;
use minijinja::{Value, context};

use super::super::render::render;
use crate::{brand::Button, dashboard::page::Page, extract::Query, problem::Result};

/// The label of the button in the preview.
const SAMPLE: &str = "Continue";
/// The default colors, as in the style sheet of those pages.
const OWN_COLOR: &str = "#0d5f5a";

pub(super) async fn show(page: Page, query: Query) -> Result<Response> {
    query.end()?;
    let brand = page.brand();
    let options = [
        (
            "Name",
            brand.name.clone(),
            "the host of the public URL",
            "brand-name",
        ),
        (
            "Button color",
            brand
                .colors
                .as_ref()
                .map(|colors| colors.light.ground.clone()),
            "Stead’s green",
            "brand-color",
        ),
        ("Help", brand.support.clone(), "no link", "brand-support"),
        ("Privacy", brand.privacy.clone(), "no link", "brand-privacy"),
    ];
    let options: Vec<Value> = options
        .into_iter()
        .map(|(title, value, without, option)| {
            let variable = format!("STEAD_{}", option.replace('-', "_").to_uppercase());
            context! { title, value, without, option => format!("--{option}"), variable }
        })
        .collect();
    let products = page.environment.catalogue().products();
    let products: Vec<_> = products
        .iter()
        .map(|product| (product.name, product.title))
        .collect();
    let colors = brand.colors.as_ref();
    let context = context! {
        options => options,
        has_logo => brand.logo.is_some(),
        products => products,
        own_color => OWN_COLOR,
        light => colors.map(|colors| button(&colors.light)),
        dark => colors.map(|colors| button(&colors.dark)),
    };
    Ok(render(&page, "settings/appearance/show.html", context))
}

fn button(button: &Button) -> Value {
    context! {
        ground => button.ground.as_str(),
        text => button.text.as_str(),
        contrast => format!("{:.1}", button.contrast()),
        label => SAMPLE,
    }
}
