//! The authorization page: who, and which pages.

use axum::http::StatusCode;

use super::{
    grants::Asked,
    pages::{self, Person, Shareable},
};
use crate::{
    query::Query, request::Request, response::Response, state::State, workspace::rich_text,
};

/// `GET /v1/oauth/authorize`
pub(super) fn respond(state: &mut State, request: &Request) -> Response {
    match read(state, &request.query_parameters()) {
        Ok(asked) => page(state, asked),
        Err(problem) => Response::html(StatusCode::BAD_REQUEST, pages::problem(&problem)),
    }
}

fn page(state: &mut State, asked: Asked) -> Response {
    let people: Vec<Person> = state
        .world
        .users
        .iter()
        .map(|user| Person {
            email: user.email,
            name: user.name,
            pages: state
                .world
                .workspace
                .tops(user.email)
                .map(|page| Shareable {
                    id: page.id.clone(),
                    title: rich_text::plain(&page.title()),
                })
                .collect(),
        })
        .collect();
    let client = asked.client.clone();
    let id = state.workspace.grants.ask(&mut state.ids, asked);
    Response::html(StatusCode::OK, pages::consent(&id, &client, &people))
}

/// Checks the parameters. Unknown ones are ignored, none may repeat (RFC 6749, section 3.1).
fn read(state: &State, query: &Query) -> Result<Asked, String> {
    for (name, _) in query.iter() {
        query
            .one(name)
            .map_err(|_| format!("Parameter given more than once: {name}"))?;
    }
    let need = |name: &str| {
        query
            .first(name)
            .ok_or_else(|| format!("Missing or invalid {name}."))
    };
    let id = need("client_id")?;
    let client = state
        .workspace
        .clients
        .find(id)
        .ok_or("Missing or invalid client_id.")?;
    let redirect_uri = need("redirect_uri")?;
    if !client.accepts(redirect_uri) {
        return Err(String::from("Missing or invalid redirect_uri."));
    }
    if need("response_type")? != "code" {
        return Err(String::from("Missing or invalid response_type."));
    }
    if need("owner")? != "user" {
        return Err(String::from("Missing or invalid owner."));
    }
    Ok(Asked {
        client: id.to_owned(),
        redirect_uri: redirect_uri.to_owned(),
        state: query.first("state").map(str::to_owned),
    })
}
