//! `GET` and `POST /dashboard/connections/{connection_name}/secret`: replaces the client secret.

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
    Ok(render(&page, &connection, &Fields::default()))
}

pub(super) async fn submit(page: Page, Path(name): Path<String>, form: Form) -> Result<Response> {
    let connection = page.environment.send(ReadConnection::new(&name)).await?;
    let mut change = ConnectionChange::default();
    change.client_secret = Some(form.secret("client_secret"));
    match page
        .environment
        .send(ChangeConnection::new(&name, change))
        .await
    {
        Ok(_) => Ok(page.redirect_done(&path_of(&name), Done::SecretReplaced)),
        Err(error) => {
            let mut fields = Fields::default();
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
    page.render("connections/secret.html", context)
}
