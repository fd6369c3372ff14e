//! A small browser for the service's pages. It keeps cookies and follows redirects. At the product, the sandbox plays
//! the user.

use std::collections::BTreeMap;

use http::{Method, StatusCode, Uri};
use stead_core::ports::Body;

use crate::{
    http_client::{HttpClient, Reply, form, request},
    stage::Stage,
};

/// One person's browser.
#[derive(Clone)]
pub struct Browser {
    http: HttpClient,
    cookies: BTreeMap<String, String>,
}

impl Browser {
    pub fn new() -> Self {
        Self {
            http: HttpClient::new(),
            cookies: BTreeMap::new(),
        }
    }

    /// Opens a link and presses Continue. Returns the address of the redirect without following it.
    pub async fn open(&mut self, link: &str) -> String {
        let page = self.get(link).await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.text());
        let reply = self.post(link, &[]).await;
        assert_eq!(reply.status, StatusCode::SEE_OTHER, "{}", reply.text());
        reply.header("location").to_owned()
    }

    /// Opens a link, allows everything at the product, and comes back.
    pub async fn connect(&mut self, stage: &Stage, link: &str, user: &str) -> Reply {
        let product = self.open(link).await;
        let back = stage.consent(&product, user, &["all"]);
        self.visit(&back).await
    }

    /// Opens an address and follows redirects on the same host. Stops at a redirect to another host.
    pub async fn visit(&mut self, url: &str) -> Reply {
        let mut url = url.to_owned();
        for _ in 0..10 {
            let reply = self.get(&url).await;
            let location = reply.header("location").to_owned();
            if !reply.status.is_redirection() || authority(&location) != authority(&url) {
                return reply;
            }
            url = location;
        }
        panic!("too many redirects to {url}");
    }

    pub async fn get(&mut self, url: &str) -> Reply {
        self.send(request(Method::GET, url, "", Body::Empty)).await
    }

    pub async fn head(&mut self, url: &str) -> Reply {
        self.send(request(Method::HEAD, url, "", Body::Empty)).await
    }

    pub async fn post(&mut self, url: &str, pairs: &[(&str, &str)]) -> Reply {
        let mut request = request(Method::POST, url, "", form(pairs).into_bytes().into());
        let form_type = "application/x-www-form-urlencoded".parse();
        let headers = request.headers_mut();
        headers.insert("content-type", form_type.expect("a header"));
        self.send(request).await
    }

    async fn send(&mut self, mut request: http::Request<Body>) -> Reply {
        if !self.cookies.is_empty() {
            let pairs = self.cookies.iter();
            let pairs: Vec<_> = pairs
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let cookies = pairs.join("; ").parse().expect("a header");
            request.headers_mut().insert("cookie", cookies);
        }
        let reply = self.http.send(request).await;
        for cookie in reply.headers.get_all("set-cookie") {
            let pair = cookie.to_str().unwrap_or_default().split(';').next();
            if let Some((name, value)) = pair.and_then(|pair| pair.split_once('=')) {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        reply
    }
}

pub fn authority(url: &str) -> String {
    url.parse::<Uri>()
        .ok()
        .and_then(|uri| uri.authority().map(ToString::to_string))
        .unwrap_or_default()
}
