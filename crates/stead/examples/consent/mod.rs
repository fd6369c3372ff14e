//! What the user does in the browser: opens the product's page, and allows.

use std::{collections::HashMap, error::Error};

use stead::core::{
    oauth::Callback,
    ports::{Body, Transport as _},
};
use stead::transport::{ReqwestTransport, TransportOptions};

/// Ada allows everything; returns what the product hands to the redirect URI.
pub(crate) async fn allow(sandbox_url: &str, location: &str) -> Result<Callback, Box<dyn Error>> {
    let browser = ReqwestTransport::new(TransportOptions::default())?;
    let open = http::Request::get(location).body(Body::Empty)?;
    let page = browser
        .send(open)
        .await?
        .into_body()
        .collect(100_000)
        .await?;
    let form = std::str::from_utf8(&page)?
        .split("action=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .ok_or("the page has no form")?;
    let allow = http::Request::post(format!("{sandbox_url}{form}"))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from(
            b"user=ada@example.com&scope=all&action=allow".to_vec(),
        ))?;
    let response = browser.send(allow).await?;
    let location = response.headers().get("location").ok_or("no way back")?;
    let returned = url::Url::parse(location.to_str()?)?;
    let mut query: HashMap<String, String> = returned.query_pairs().into_owned().collect();
    Ok(Callback {
        state: query.remove("state"),
        code: query.remove("code"),
        iss: query.remove("iss"),
        ..Callback::default()
    })
}
