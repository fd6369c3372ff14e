//! A user with a browser, for the tests of this folder. Opens a link, allows everything and comes back.

use std::collections::BTreeMap;

use secrecy::ExposeSecret as _;
use url::{Url, form_urlencoded};

use super::{Callback, finish, links, start, verify};
use crate::{
    Result,
    context::Context,
    identifier::AuthorizationId,
    resource::{NewAuthorizationLink, VerifyAuthorization},
};

/// A user who has allowed everything at the product and whose browser is on its way back.
pub(super) struct Visitor {
    pub(super) id: AuthorizationId,
    pub(super) connection: String,
    query: String,
    cookie: String,
}

pub(super) async fn allowed(context: &Context, user: &str) -> Visitor {
    let new = NewAuthorizationLink::new("demo", user).verify_url("https://app.test/back");
    let link = links::create(context, new).await.unwrap();
    let secret = link.link.rsplit('/').next().unwrap().to_owned();
    let started = start(context, &secret, None).await.unwrap();
    let location = Url::parse(&started.location).unwrap();
    let query: BTreeMap<String, String> = location.query_pairs().into_owned().collect();
    let host = location.host_str().unwrap();
    let redirect = Url::parse(&query["redirect_uri"]).unwrap();
    let code = format!("{host}/{}/code", query["client_id"]);
    Visitor {
        id: link.authorization_id,
        connection: redirect.path().split('/').nth(4).unwrap().to_owned(),
        query: form_urlencoded::Serializer::new(String::new())
            .append_pair("state", &query["state"])
            .append_pair("code", &code)
            .finish(),
        cookie: started.browser.expose_secret().to_owned(),
    }
}

pub(super) async fn come_back(context: &Context, visitor: &Visitor) -> Result<AuthorizationId> {
    let cookie = visitor.cookie.clone();
    let callback = Callback::from_query(&visitor.query);
    let finished = finish(context, &visitor.connection, callback, |_| Some(cookie)).await?;
    Ok(finished.authorization_id)
}

pub(super) async fn connect(context: &Context, user: &str) {
    let visitor = allowed(context, user).await;
    let id = come_back(context, &visitor).await.unwrap();
    verify(context, VerifyAuthorization::new(id.to_string(), user))
        .await
        .unwrap();
}
