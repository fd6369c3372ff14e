//! `GET` and `POST /dashboard/connections/new/product/{product}`: the name, and what the product's addresses need. The
//! connection is a draft until client id and secret are there, so that its redirect URI can be registered first.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead::{Error, ErrorKind};
use stead_core::{environment::Environment, product::Product, resource::NewConnection};

use super::fields::Fields;
use crate::{
    dashboard::{form::Form, page::Page},
    extract::Path,
    problem::Result,
};

const TEMPLATE: &str = "connections/create.html";

pub(super) async fn show(page: Page, Path(product): Path<String>) -> Result<Response> {
    let product = product_of(&page.environment, &product)?;
    let mut fields = Fields::of(product);
    fields.connection_name = product.name.to_owned();
    Ok(render(&page, product, &fields))
}

pub(super) async fn submit(
    page: Page,
    Path(product): Path<String>,
    form: Form,
) -> Result<Response> {
    let product = product_of(&page.environment, &product)?;
    let mut fields = Fields::typed(product, &form);
    let mut new = NewConnection::new(&fields.connection_name, product.name);
    new.settings = fields.settings();
    match page.environment.send(new).await {
        Ok(connection) => {
            let name = connection.connection_name;
            Ok(page.redirect(&format!("/dashboard/connections/{name}/set-up")))
        }
        Err(error) => {
            let status = fields.refuse(error)?;
            let mut response = render(&page, product, &fields);
            *response.status_mut() = status;
            Ok(response)
        }
    }
}

/// A product by the name in an address.
fn product_of(environment: &Environment, name: &str) -> Result<&'static Product, Error> {
    let product = environment.catalogue().product(name);
    product.ok_or_else(|| {
        Error::new(
            ErrorKind::NotFound,
            "this environment doesn’t have this product",
        )
    })
}

fn render(page: &Page, product: &Product, fields: &Fields) -> Response {
    let context = context! {
        name_of_product => product.name,
        title => product.title,
        fields => Serde(fields),
    };
    page.render(TEMPLATE, context)
}
