//! Plays the user at a product's authorization page without a browser, for tests, demos and examples.

use axum::http::{HeaderMap, HeaderValue, Method, header};
use bytes::Bytes;
use url::{Url, form_urlencoded::Serializer};

use crate::{
    Sandbox, receive,
    request::Request,
    response::{Response, ResponseBody},
};

impl Sandbox {
    /// Opens the product's authorization page at `authorize_url`, allows `scopes` there as `user`, and returns the
    /// URL that the product redirects the browser to.
    ///
    /// The scope `all` allows everything. Without a scope, the user cancels. Notion asks for pages instead of
    /// scopes, and Snowflake for nothing in particular. Use `all` for both.
    ///
    /// # Errors
    /// The product's page, if the product doesn't redirect the browser. It refuses the parameters, or doesn't know
    /// the user.
    pub fn consent(&self, authorize_url: &str, user: &str, scopes: &[&str]) -> Result<Url, String> {
        let url = Url::parse(authorize_url).map_err(|error| format!("not an address: {error}"))?;
        let shown = self.visit(Method::GET, &url, String::new());
        if let Some(back) = location(&shown) {
            return Ok(back);
        }
        let page = text(&shown);
        let action = page
            .split_once("action=\"")
            .and_then(|(_, rest)| url.join(rest.split('"').next()?).ok())
            .ok_or_else(|| page.clone())?;
        let action_name = if scopes.is_empty() { "deny" } else { "allow" };
        let form = Serializer::new(String::new())
            .extend_pairs([("user", user), ("action", action_name)])
            .extend_pairs(scopes.iter().map(|scope| ("scope", *scope)))
            .finish();
        let submitted = self.visit(Method::POST, &action, form);
        location(&submitted).ok_or_else(|| text(&submitted))
    }

    fn visit(&self, method: Method, url: &Url, form: String) -> Response {
        let form_type = HeaderValue::from_static("application/x-www-form-urlencoded");
        let request = Request::new(
            method,
            url.path(),
            url.query(),
            HeaderMap::from_iter([
                (header::CONTENT_TYPE, form_type),
                (header::USER_AGENT, HeaderValue::from_static("Mozilla/5.0")),
            ]),
            Bytes::from(form),
        );
        receive::process(&mut self.state(), &request).0
    }
}

fn location(response: &Response) -> Option<Url> {
    let location = response.headers.get(header::LOCATION)?;
    Url::parse(location.to_str().ok()?).ok()
}

fn text(response: &Response) -> String {
    match &response.body {
        ResponseBody::Whole(body) => String::from_utf8_lossy(body).into_owned(),
        ResponseBody::Padding(_) => String::new(),
    }
}
