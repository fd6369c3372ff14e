//! `GET` and `POST /dashboard/connections/{connection_name}/set-up`: guides from a draft to a ready connection, step
//! by step.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead_core::{
    product::Product,
    resource::{ChangeConnection, Connection, ConnectionChange, ConnectionState, ReadConnection},
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
    if connection.state != ConnectionState::Draft {
        // A ready connection has users who depend on the client, so its change needs a step-up on another page.
        return Ok(page.redirect(&format!("{}/client", path_of(&name))));
    }
    let product = product_of(&page.environment, &connection)?;
    let mut fields = Fields::typed(product, &form);
    let permissions = fields.permissions();
    let changed = match permissions {
        Ok(permissions) => {
            let secret = form.secret("client_secret");
            let mut change = ConnectionChange::default().client(&fields.client_id, secret);
            change.permissions = permissions;
            page.environment
                .send(ChangeConnection::new(&name, change))
                .await
        }
        Err(error) => Err(error),
    };
    match changed {
        Ok(_) => Ok(page.redirect_done(&path_of(&name), Done::ConnectionReady)),
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
        guide => product.set_up(connection.connection_name.as_str(), &connection.redirect_uri).unwrap_or_default(),
        is_draft => connection.state == ConnectionState::Draft,
        connection => Serde(connection),
        fields => Serde(fields),
    };
    page.render("connections/set_up.html", context)
}
