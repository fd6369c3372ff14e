//! `GET` and `POST /dashboard/connections/{connection_name}/edit`: permissions and settings.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead_core::{
    product::Product,
    resource::{ChangeConnection, Connection, ConnectionChange, ReadConnection},
};

use super::{fields::Fields, path_of, read::product_of};
use crate::{
    dashboard::{done::Done, form::Form, page::Page},
    extract::Path,
    problem::Result,
};

pub(super) async fn show(page: Page, Path(name): Path<String>) -> Result<Response> {
    let connection = page.environment.send(ReadConnection::new(&name)).await?;
    let product = product_of(&page.environment, &connection)?;
    let fields = Fields::filled(product, &connection);
    Ok(render(&page, product, &connection, &fields))
}

pub(super) async fn submit(page: Page, Path(name): Path<String>, form: Form) -> Result<Response> {
    let connection = page.environment.send(ReadConnection::new(&name)).await?;
    let product = product_of(&page.environment, &connection)?;
    let mut fields = Fields::typed(product, &form);
    let permissions = fields.permissions();
    let changed = match permissions {
        Ok(permissions) => {
            let mut change = ConnectionChange::default()
                .settings(fields.settings())
                .allowed_requests(fields.allowed_requests());
            change.permissions = permissions;
            page.environment
                .send(ChangeConnection::new(&name, change))
                .await
        }
        Err(error) => Err(error),
    };
    match changed {
        Ok(_) => Ok(page.redirect_done(&path_of(&name), Done::ConnectionChanged)),
        Err(error) => {
            let status = fields.refuse(error)?;
            let mut response = render(&page, product, &connection, &fields);
            *response.status_mut() = status;
            Ok(response)
        }
    }
}

fn render(page: &Page, product: &Product, connection: &Connection, fields: &Fields) -> Response {
    let context = context! {
        title => product.title,
        units => product.quota.units_per_minute,
        // With another account at the product, calls go to another host.
        has_host => product.oauth.token.contains("{host}"),
        connection => Serde(connection),
        fields => Serde(fields),
    };
    page.render("connections/edit.html", context)
}
