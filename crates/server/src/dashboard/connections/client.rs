//! `GET` and `POST /dashboard/connections/{connection_name}/client`: changes the OAuth client. Its users must
//! reconnect.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead_core::resource::{ChangeConnection, Connection, ConnectionChange, ReadConnection};

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
    Ok(render(&page, &connection, &fields))
}

pub(super) async fn submit(page: Page, Path(name): Path<String>, form: Form) -> Result<Response> {
    let connection = page.environment.send(ReadConnection::new(&name)).await?;
    let product = product_of(&page.environment, &connection)?;
    let mut fields = Fields::typed(product, &form);
    let secret = form.secret("client_secret");
    let change = ConnectionChange::default().client(&fields.client_id, secret);
    match page
        .environment
        .send(ChangeConnection::new(&name, change))
        .await
    {
        Ok(changed) => {
            let done = match changed.client_id == connection.client_id {
                true => Done::SecretReplaced,
                false => Done::ClientReplaced,
            };
            Ok(page.redirect_done(&path_of(&name), done))
        }
        Err(error) => {
            let status = fields.refuse(error)?;
            let mut response = render(&page, &connection, &fields);
            *response.status_mut() = status;
            Ok(response)
        }
    }
}

fn render(page: &Page, connection: &Connection, fields: &Fields) -> Response {
    let product = product_of(&page.environment, connection).ok();
    let context = context! {
        title => product.map_or(connection.product.as_str(), |product| product.title),
        connection => Serde(connection),
        fields => Serde(fields),
    };
    page.render("connections/client.html", context)
}
