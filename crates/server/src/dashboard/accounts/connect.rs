//! `GET` and `POST /dashboard/accounts/connect?connection_name=&identifier=`: a link for any user.

use axum::response::Response;
use http::StatusCode;
use minijinja::{Value, context, value::Serde};
use stead::ErrorKind;
use stead_core::{
    api::Paging,
    environment::Environment,
    resource::{ConnectionState, ListConnections, NewAuthorizationLink, ReadConnection},
};

use super::link;
use crate::{
    dashboard::{form::Form, page::Page},
    extract::Query,
    problem::Result,
};

const TEMPLATE: &str = "accounts/connect.html";

pub(super) async fn show(page: Page, mut query: Query) -> Result<Response> {
    let connection_name = query.text("connection_name")?;
    let identifier = query.text("identifier")?;
    query.end()?;
    let fields = fields(&page.environment, connection_name.as_deref()).await?;
    let context = context! { connection_name, identifier, ..fields };
    Ok(page.render(TEMPLATE, context))
}

pub(super) async fn submit(page: Page, form: Form) -> Result<Response> {
    let connection_name = form.text("connection_name").unwrap_or_default();
    let identifier = form.text("identifier").unwrap_or_default();
    let mut new = NewAuthorizationLink::new(connection_name, identifier);
    new.verify_url = form.text("verify_url").map(str::to_owned);
    let error = match link::show(&page, new).await {
        Ok(shown) => return Ok(shown),
        Err(error) => error,
    };
    // The user can correct these in the form.
    let named = error.violation_list().first();
    let field = match (error.kind(), named) {
        (_, Some(violation)) => violation.path.trim_start_matches('/').to_owned(),
        (ErrorKind::UnknownConnection | ErrorKind::ConnectionNotReady, None) => {
            String::from("connection_name")
        }
        (ErrorKind::InvalidRequest | ErrorKind::AccountSuspended, None) => {
            String::from("identifier")
        }
        _ => return Err(error.into()),
    };
    let message = named.map_or(error.message(), |violation| violation.message.as_str());
    let asked = Some(connection_name).filter(|name| !name.is_empty());
    let fields = fields(&page.environment, asked).await?;
    let context = context! {
        connection_name,
        identifier,
        verify_url => form.text("verify_url"),
        error => message,
        wrong => field,
        ..fields
    };
    Ok(page.render_with(StatusCode::UNPROCESSABLE_ENTITY, TEMPLATE, context))
}

/// Additional context of the form: the connections to choose from, and whether a link must say where the browser goes.
/// `asked` is the connection to choose. It stays chosen even if it isn't ready, so a link is never for another one.
async fn fields(environment: &Environment, asked: Option<&str>) -> Result<Value> {
    let connections = environment
        .send(ListConnections::new().page(Paging::new(None, 100)))
        .await?
        .items;
    let ready = connections
        .iter()
        .filter(|connection| connection.state == ConnectionState::Ready);
    // Pairs of value and text, as a choice takes them.
    let mut names: Vec<_> = ready
        .map(|connection| connection.connection_name.to_string())
        .map(|name| (name.clone(), name))
        .collect();
    let mut error = None;
    if let Some(asked) = asked
        && !names.iter().any(|(name, _)| name == asked)
    {
        let found = environment.send(ReadConnection::new(asked)).await;
        let is_ready = found.is_ok_and(|one| one.state == ConnectionState::Ready);
        error = (!is_ready).then(|| {
            format!("The connection {asked} isn’t ready. Finish its set-up, or choose another one.")
        });
        let note = if is_ready { "" } else { " (not ready)" };
        names.insert(0, (asked.to_owned(), format!("{asked}{note}")));
    }
    Ok(context! {
        has_connections => !connections.is_empty(),
        connections => Serde(names),
        needs_verify_url => environment.needs_verify_url(),
        default_verify_url => environment.verify_url(),
        verify_url => (),
        wrong => if error.is_some() { "connection_name" } else { "" },
        error,
    })
}
