//! A minimal browser of a user: it keeps cookies, follows redirects and sends forms.

use std::{collections::BTreeMap, sync::Arc};

use http::{Request, StatusCode, header};
use stead::{
    core::ports::{Body, Transport, TransportError},
    transport::{ReqwestTransport, TransportOptions},
};
use url::{Url, form_urlencoded};

use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
};

const MOST_REDIRECTS: usize = 10;
const MOST_BYTES: u64 = 1024 * 1024;

/// One browser with its cookies.
pub(crate) struct Browser {
    transport: Arc<dyn Transport>,
    /// By host: cookies know no port (RFC 6265, 8.5).
    cookies: BTreeMap<String, BTreeMap<String, String>>,
}

/// What the browser shows.
pub(crate) struct Page {
    pub(crate) url: Url,
    pub(crate) status: StatusCode,
    text: String,
}

impl Browser {
    pub(crate) fn new() -> Outcome<Self> {
        let transport = ReqwestTransport::new(TransportOptions::default())
            .map_err(|error| failed(&format!("the HTTP client cannot be set up: {error}")))?;
        Ok(Self {
            transport: Arc::new(transport),
            cookies: BTreeMap::new(),
        })
    }

    /// Opens an authorization link, goes on to the product, and allows everything there as `user`.
    pub(crate) async fn connect(&mut self, link: &str, user: &str) -> Outcome<Page> {
        let explanation = self.open(link).await?;
        let consent = self.submit(&explanation, &[]).await?;
        let fields = [("user", user), ("scope", "all"), ("action", "allow")];
        let end = self.submit(&consent, &fields).await?;
        if end.status != StatusCode::OK {
            return Err(failed(&format!(
                "after the consent, {} responded with status {}",
                end.url.path(),
                end.status.as_u16()
            )));
        }
        Ok(end)
    }

    /// Opens an address.
    pub(crate) async fn open(&mut self, address: &str) -> Outcome<Page> {
        let url =
            Url::parse(address).map_err(|error| failed(&format!("not an address: {error}")))?;
        self.follow(url, None).await
    }

    /// Sends the page's form.
    async fn submit(&mut self, page: &Page, fields: &[(&str, &str)]) -> Outcome<Page> {
        let action = page.form_action()?;
        let form = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        let origin = page.url.origin().ascii_serialization();
        self.follow(action, Some((form, origin))).await
    }

    /// Sends one request and follows where it leads.
    async fn follow(&mut self, mut url: Url, mut form: Option<(String, String)>) -> Outcome<Page> {
        for _ in 0..=MOST_REDIRECTS {
            let (status, location, text) = self.exchange(&url, form.take()).await?;
            match location {
                Some(location) if status.is_redirection() => url = location,
                _ => return Ok(Page { url, status, text }),
            }
        }
        Err(failed("too many redirects"))
    }

    async fn exchange(
        &mut self,
        url: &Url,
        form: Option<(String, String)>,
    ) -> Outcome<(StatusCode, Option<Url>, String)> {
        let host = url.host_str().unwrap_or_default().to_owned();
        let mut request = Request::builder().uri(url.as_str());
        if let Some(cookies) = self.cookies.get(&host) {
            let pairs: Vec<String> = cookies
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            request = request.header(header::COOKIE, pairs.join("; "));
        }
        let request = match form {
            Some((form, origin)) => request
                .method("POST")
                .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .header(header::ORIGIN, origin)
                .body(Body::from(form.into_bytes())),
            None => request.body(Body::Empty),
        };
        let request = request.map_err(|error| failed(&error.to_string()))?;
        let response = self
            .transport
            .send(request)
            .await
            .map_err(|error| no_response(&error))?;
        let (head, body) = response.into_parts();
        for cookie in head.headers.get_all(header::SET_COOKIE) {
            let pair = cookie.to_str().unwrap_or_default().split(';').next();
            if let Some((name, value)) = pair.and_then(|pair| pair.split_once('=')) {
                let jar = self.cookies.entry(host.clone()).or_default();
                jar.insert(name.trim().to_owned(), value.trim().to_owned());
            }
        }
        let location = head
            .headers
            .get(header::LOCATION)
            .and_then(|location| url.join(location.to_str().ok()?).ok());
        let body = body
            .collect(MOST_BYTES)
            .await
            .map_err(|error| no_response(&error))?;
        Ok((
            head.status,
            location,
            String::from_utf8_lossy(&body).into_owned(),
        ))
    }
}

impl Page {
    /// Where the page's first form goes: its `action`, or the page itself.
    fn form_action(&self) -> Outcome<Url> {
        let form = self
            .text
            .split("<form")
            .nth(1)
            .and_then(|rest| rest.split('>').next())
            .ok_or_else(|| {
                failed(&format!(
                    "{} shows no form (status {})",
                    self.url.path(),
                    self.status.as_u16()
                ))
            })?;
        let action = form
            .split("action=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next())
            .unwrap_or_default();
        self.url
            .join(&unescaped(action))
            .map_err(|error| failed(&format!("the form has a wrong address: {error}")))
    }
}

/// The few characters that templates escape in an attribute.
fn unescaped(text: &str) -> String {
    [
        ("&#x2f;", "/"),
        ("&#x27;", "'"),
        ("&quot;", "\""),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (escaped, character)| {
        text.replace(escaped, character)
    })
}

fn no_response(error: &TransportError) -> Failure {
    failed(&format!("no response: {error}"))
}

fn failed(what: &str) -> Failure {
    Failure::new(
        Exit::Failed,
        format!("the browser could not go on: {what}"),
        "The logs of the service and the sandbox may say more (--log info).",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        Page {
            url: Url::parse("http://127.0.0.1:1/connect/x").unwrap(),
            status: StatusCode::OK,
            text: text.to_owned(),
        }
    }

    #[test]
    fn a_form_goes_to_its_action_or_to_its_page() {
        let named = page(r#"<p><form method="post" action="&#x2f;consent/r1?a=1&amp;b=2"><input>"#);
        assert_eq!(
            named.form_action().unwrap().as_str(),
            "http://127.0.0.1:1/consent/r1?a=1&b=2"
        );
        let unnamed = page(r#"<form method="post"><button>"#);
        assert_eq!(unnamed.form_action().unwrap(), unnamed.url);
        assert!(page("<p>action=\"/x\"").form_action().is_err());
    }
}
