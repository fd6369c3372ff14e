//! A small browser: keeps cookies per host, follows redirects, fills in the consent page.

use std::collections::BTreeMap;

use http::{Method, StatusCode, Uri};
use stead::core::ports::Body;

use crate::http_client::{HttpClient, Reply, form, request};

/// One person's browser.
pub struct Browser {
    http: HttpClient,
    /// Cookies by authority.
    cookies: BTreeMap<String, BTreeMap<String, String>>,
    /// Authority of the page that is shown.
    here: String,
}

impl Browser {
    pub fn new() -> Self {
        Self {
            http: HttpClient::new(),
            cookies: BTreeMap::new(),
            here: String::new(),
        }
    }

    /// Opens a link and presses Continue; stops at the product's consent page, and returns its form's address.
    pub async fn open(&mut self, link: &str) -> String {
        let page = self.get(link).await;
        assert_eq!(page.status, StatusCode::OK, "{}", page.text());
        let consent = self.continue_to_product(link).await;
        assert_eq!(consent.status, StatusCode::OK, "{}", consent.text());
        self.absolute(&form_action(&consent.text()))
    }

    /// Presses Continue on the page of a link.
    pub async fn continue_to_product(&mut self, link: &str) -> Reply {
        let reply = self.post(link, &[]).await;
        if reply.status != StatusCode::SEE_OTHER {
            return reply;
        }
        let location = reply.header("location").to_owned();
        self.get(&location).await
    }

    /// Allows everything as this user; returns where the product sends the browser, without going there.
    pub async fn allow(&mut self, action: &str, user: &str, scopes: &[&str]) -> String {
        let mut pairs = vec![("action", "allow"), ("user", user)];
        pairs.extend(scopes.iter().map(|scope| ("scope", *scope)));
        let reply = self.post(action, &pairs).await;
        assert_eq!(reply.status, StatusCode::SEE_OTHER, "{}", reply.text());
        reply.header("location").to_owned()
    }

    /// Cancels; returns where the product sends the browser.
    pub async fn deny(&mut self, action: &str, user: &str) -> String {
        let reply = self
            .post(action, &[("action", "deny"), ("user", user)])
            .await;
        assert_eq!(reply.status, StatusCode::SEE_OTHER, "{}", reply.text());
        reply.header("location").to_owned()
    }

    /// The whole way: opens a link, allows everything, and comes back.
    pub async fn connect(&mut self, link: &str, user: &str) -> Reply {
        let action = self.open(link).await;
        let back = self.allow(&action, user, &["all"]).await;
        self.visit(&back).await
    }

    /// Goes to an address and follows redirects on the same host; stops before another.
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
        self.send(Method::GET, url, Body::Empty).await
    }

    pub async fn post(&mut self, url: &str, pairs: &[(&str, &str)]) -> Reply {
        self.send(Method::POST, url, form(pairs).into_bytes().into())
            .await
    }

    async fn send(&mut self, method: Method, url: &str, body: Body) -> Reply {
        let posts = method == Method::POST;
        let mut request = request(method, url, "", body);
        if posts {
            request.headers_mut().insert(
                "content-type",
                "application/x-www-form-urlencoded"
                    .parse()
                    .expect("a header"),
            );
        }
        let jar = self.cookies.entry(authority(url)).or_default();
        if !jar.is_empty() {
            let cookies = jar
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect::<Vec<_>>()
                .join("; ");
            request
                .headers_mut()
                .insert("cookie", cookies.parse().expect("a header"));
        }
        let mut reply = self.http.send(request).await;
        for cookie in reply.headers.get_all("set-cookie") {
            let pair = cookie
                .to_str()
                .unwrap_or_default()
                .split(';')
                .next()
                .unwrap_or_default();
            if let Some((name, value)) = pair.split_once('=') {
                jar.insert(name.to_owned(), value.to_owned());
            }
        }
        self.here = authority(url);
        let location = reply.header("location").to_owned();
        if !location.is_empty() {
            let absolute = self.absolute(&location);
            reply
                .headers
                .insert("location", absolute.parse().expect("a header"));
        }
        reply
    }

    /// An address of the page that is shown.
    fn absolute(&self, address: &str) -> String {
        if address.starts_with('/') {
            format!("http://{}{address}", self.here)
        } else {
            address.to_owned()
        }
    }
}

pub fn authority(url: &str) -> String {
    url.parse::<Uri>()
        .ok()
        .and_then(|uri| uri.authority().map(ToString::to_string))
        .unwrap_or_default()
}

/// The address of the page's form.
fn form_action(page: &str) -> String {
    let start = page
        .find("action=\"")
        .unwrap_or_else(|| panic!("no form: {page}"))
        + 8;
    let end = start + page[start..].find('"').expect("a closed attribute");
    page[start..end].replace("&amp;", "&")
}
