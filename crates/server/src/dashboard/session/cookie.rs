//! The cookies of a session, and of a sign-in in progress at the provider.

use http::{HeaderMap, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use stead_core::environment::Environment;
use url::Url;

use crate::dashboard::cookie;

/// A cookie of the dashboard. `SameSite=Lax` keeps members signed in when they follow a link to the dashboard or return
/// from the provider.
#[derive(Debug)]
pub(super) struct Cookie {
    name: String,
    /// The attribute that says when the browser deletes it.
    life: &'static str,
    secure: bool,
    /// Browsers reject `__Host-` and `Secure` over plain HTTP, which is only allowed on this machine. The path is then
    /// the dashboard's. The name contains the port, because browsers send a cookie to every port of a host, and
    /// otherwise two services would end each other's sessions.
    path: String,
}

impl Cookie {
    /// The cookie with the ID of a session. The browser deletes it when it closes. The session expires earlier.
    pub(super) fn of_session(environment: &Environment) -> Self {
        Self::new(environment, "stead", "")
    }

    /// The cookie that binds a sign-in at the provider to this browser.
    pub(super) fn of_attempt(environment: &Environment) -> Self {
        Self::new(environment, "stead-sign-in", "; Max-Age=600")
    }

    /// The cookie that recognizes a browser after an earlier sign-in.
    pub(super) fn of_device(environment: &Environment) -> Self {
        Self::new(environment, "stead-device", "; Max-Age=15552000")
    }

    fn new(environment: &Environment, name: &str, life: &'static str) -> Self {
        Self::at(environment.public_url(), name, life)
    }

    fn at(url: &Url, name: &str, life: &'static str) -> Self {
        let secure = url.scheme() == "https";
        let below = url.path().trim_end_matches('/');
        let (name, path) = match secure {
            true => (format!("__Host-{name}"), String::from("/")),
            false => {
                let port = url.port_or_known_default().unwrap_or_default();
                (format!("{name}-{port}"), format!("{below}/dashboard"))
            }
        };
        Self {
            name,
            life,
            secure,
            path,
        }
    }

    /// The value that the browser sent. `None` if it sent several.
    pub(super) fn read(&self, headers: &HeaderMap) -> Option<SecretString> {
        cookie::read(headers, &self.name).map(SecretString::from)
    }

    /// `Set-Cookie` that sets it.
    pub(super) fn begin(&self, value: &SecretString) -> Option<HeaderValue> {
        let text = self.text(value.expose_secret(), self.life);
        let mut header = HeaderValue::try_from(text).ok()?;
        header.set_sensitive(true);
        Some(header)
    }

    /// `Set-Cookie` that deletes it.
    pub(super) fn end(&self) -> Option<HeaderValue> {
        HeaderValue::try_from(self.text("", "; Max-Age=0")).ok()
    }

    fn text(&self, value: &str, life: &str) -> String {
        let secure = if self.secure { "; Secure" } else { "" };
        let (name, path) = (&self.name, &self.path);
        format!("{name}={value}; Path={path}{life}; HttpOnly; SameSite=Lax{secure}")
    }
}

#[cfg(test)]
mod tests {
    use http::header;

    use super::*;

    fn of(url: &str) -> Cookie {
        Cookie::at(&url.parse().unwrap(), "stead", "")
    }

    #[test]
    fn attributes_follow_the_scheme() {
        let id = SecretString::from("v");
        assert_eq!(
            of("https://stead.example.com/stead").begin(&id).unwrap(),
            "__Host-stead=v; Path=/; HttpOnly; SameSite=Lax; Secure"
        );
        assert_eq!(
            of("http://127.0.0.1:8484/stead/").end().unwrap(),
            "stead-8484=; Path=/stead/dashboard; Max-Age=0; HttpOnly; SameSite=Lax"
        );
        assert!(
            of("https://stead.example.com/stead")
                .begin(&id)
                .unwrap()
                .is_sensitive()
        );
    }

    #[test]
    fn one_cookie_is_read() {
        let read = |text: &'static str| {
            let value = HeaderValue::from_static(text);
            let headers = HeaderMap::from_iter([(header::COOKIE, value)]);
            let read = of("https://stead.example.com/stead").read(&headers);
            read.map(|id| id.expose_secret().to_owned())
        };
        assert_eq!(read("a=b; __Host-stead=x; c=d").as_deref(), Some("x"));
        assert_eq!(read("stead=x; stead-443=x"), None);
        assert_eq!(read("__Host-stead=x; __Host-stead=y"), None);
    }
}
