//! The authorization page: who, and which pages.

use super::grants::ConsentRequest;
use crate::{
    pages::{self, Choice, Consent},
    query::Query,
    request::Request,
    response::Response,
    users,
    workspace::{State, rich_text},
};

/// `GET /v1/oauth/authorize`
pub(super) fn respond(state: &mut State, request: &Request) -> Response {
    match read(state, &request.query_parameters()) {
        Ok(asked) => page(state, asked),
        Err(problem) => super::problem(&problem),
    }
}

fn page(state: &mut State, asked: ConsentRequest) -> Response {
    let people = users::all().iter().map(|user| Choice {
        email: user.email.to_owned(),
        name: user.name.to_owned(),
        chosen: false,
        pages: state
            .content
            .top_pages(user.email)
            .map(|page| (page.id.clone(), rich_text::plain(&page.title())))
            .collect(),
    });
    let people = people.collect();
    let client = asked.client.clone();
    let id = state.grants.add_request(state.ids, asked);
    pages::consent(&Consent {
        title: "Share pages".to_owned(),
        client,
        asks: "asks for access to your workspace".to_owned(),
        action: format!("/api.notion.com/v1/oauth/consent/{id}"),
        id,
        people,
        permissions: Vec::new(),
    })
}

/// Checks the parameters. Unknown ones are ignored, none may repeat (RFC 6749, section 3.1).
fn read(state: &State, query: &Query) -> Result<ConsentRequest, String> {
    if let Some(name) = query.repeated_name() {
        return Err(format!("Parameter given more than once: {name}"));
    }
    let need = |name: &str| {
        query
            .first(name)
            .ok_or_else(|| format!("Missing or invalid {name}."))
    };
    let id = need("client_id")?;
    let client = state
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
    Ok(ConsentRequest {
        client: id.to_owned(),
        redirect_uri: redirect_uri.to_owned(),
        state: query.first("state").map(str::to_owned),
    })
}
