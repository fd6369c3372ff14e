//! `GET /dashboard/connections/{connection_name}`.

use axum::response::Response;
use minijinja::{context, value::Serde};
use serde::Serialize;
use stead::{Error, ErrorKind};
use stead_core::{
    environment::Environment,
    product::{LANGUAGES, Product},
    resource::{AccountFilter, Connection, ReadConnection},
};

use crate::{
    dashboard::{
        account_states::{accounts, shares},
        page::Page,
    },
    extract::{Path, Query},
    problem::Result,
};

/// A permission of the connection.
#[derive(Debug, Serialize)]
struct Permission {
    name: String,
    text: String,
}

pub(super) async fn read(page: Page, Path(name): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    let connection = page.environment.send(ReadConnection::new(&name)).await?;
    // A permission that the product no longer has is shown by its name.
    let product = product_of(&page.environment, &connection).ok();
    let mut filter = AccountFilter::default();
    filter.connection_name = Some(name);
    let (found, more) = accounts(&page.environment, &filter).await?;
    let settings = product.map(|product| settings(product, &connection));
    let context = context! {
        title => product.map_or(connection.product.as_str(), |product| product.title),
        has_product => product.is_some(),
        permissions => Serde(product.map(|product| permissions(product, &connection))),
        names_none => connection.permissions.iter().flatten().next().is_none(),
        abilities => Serde(product.map(|product| product.abilities(LANGUAGES[0]))),
        settings => Serde(settings),
        accounts => found.len(),
        more_accounts => more,
        states => Serde(shares(&found)),
        connection => Serde(&connection),
    };
    Ok(page.render("connections/read.html", context))
}

/// The product of a connection.
pub(super) fn product_of(
    environment: &Environment,
    connection: &Connection,
) -> Result<&'static Product, Error> {
    let product = environment.catalogue().product(&connection.product);
    product.ok_or_else(|| {
        Error::new(
            ErrorKind::NotFound,
            "this environment no longer has the connection’s product",
        )
    })
}

/// The permissions that links request: the connection's own, or otherwise the product's usual ones.
fn permissions(product: &Product, connection: &Connection) -> Vec<Permission> {
    let own = connection.permissions.iter().flatten().map(|name| {
        let text = product.describe_scope(name, LANGUAGES[0]);
        Permission {
            text: text.unwrap_or_else(|| name.clone()),
            name: name.clone(),
        }
    });
    let own: Vec<Permission> = own.collect();
    if !own.is_empty() {
        return own;
    }
    let usual = product.permission_choices().into_iter();
    let usual = usual.filter(|choice| choice.is_usual);
    usual
        .map(|choice| Permission {
            name: choice.name,
            text: choice.text,
        })
        .collect()
}

/// The settings' names for people, and their values.
fn settings(product: &Product, connection: &Connection) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    for (name, value) in &connection.settings {
        let mut fields = product.setting_fields.iter();
        let field = fields.find(|field| field.name == name);
        let title = field.map_or(name.as_str(), |field| field.title);
        match value.as_object() {
            Some(members) => settings.extend(members.iter().map(|(member, value)| {
                let words = |text: &str| text.replace('_', " ");
                (
                    format!("{}: {}", words(title), words(member)),
                    value.to_string(),
                )
            })),
            None => {
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                settings.push((title.to_owned(), text));
            }
        }
    }
    if !connection.allowed_requests.is_empty() {
        let allowed = connection.allowed_requests.join(", ");
        settings.push((String::from("Allowed requests"), allowed));
    }
    settings
}
