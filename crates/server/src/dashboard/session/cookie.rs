//! The cookie of a session.

use http::{HeaderMap, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use stead::core::environment::Environment;

use crate::dashboard::cookie;

/// The cookie that holds the id of a session. It ends with the browser, and the session by itself before.
/// `SameSite=Lax`, so that whoever follows a link to the dashboard is signed in there.
#[derive(Debug)]
pub(super) struct Cookie {
    secure: bool,
    /// Over plain http, which only this machine may use, browsers refuse `__Host-` and `Secure`; the path is then the
    /// dashboard's.
    path: String,
}

impl Cookie {
    pub(super) fn of(environment: &Environment) -> Self {
        let url = environment.public_url();
        let secure = url.scheme() == "https";
        let below = url.path().trim_end_matches('/');
        Self {
            secure,
            path: match secure {
                true => String::from("/"),
                false => format!("{below}/dashboard"),
            },
        }
    }

    /// The id that the browser sent; none where it sent several.
    pub(super) fn read(&self, headers: &HeaderMap) -> Option<SecretString> {
        cookie::read(headers, self.name()).map(SecretString::from)
    }

    /// `Set-Cookie` that begins it.
    pub(super) fn begin(&self, id: &SecretString) -> Option<HeaderValue> {
        let mut header = HeaderValue::try_from(self.text(id.expose_secret(), "")).ok()?;
        header.set_sensitive(true);
        Some(header)
    }

    /// `Set-Cookie` that ends it.
    pub(super) fn end(&self) -> Option<HeaderValue> {
        HeaderValue::try_from(self.text("", "; Max-Age=0")).ok()
    }

    fn text(&self, value: &str, life: &str) -> String {
        let secure = if self.secure { "; Secure" } else { "" };
        let (name, path) = (self.name(), &self.path);
        format!("{name}={value}; Path={path}{life}; HttpOnly; SameSite=Lax{secure}")
    }

    fn name(&self) -> &'static str {
        if self.secure { "__Host-stead" } else { "stead" }
    }
}

#[cfg(test)]
mod tests {
    use http::header;

    use super::*;

    fn of(secure: bool) -> Cookie {
        let path = String::from(if secure { "/" } else { "/dashboard" });
        Cookie { secure, path }
    }

    #[test]
    fn attributes_follow_the_scheme() {
        let id = SecretString::from("v");
        assert_eq!(
            of(true).begin(&id).unwrap(),
            "__Host-stead=v; Path=/; HttpOnly; SameSite=Lax; Secure"
        );
        assert_eq!(
            of(false).end().unwrap(),
            "stead=; Path=/dashboard; Max-Age=0; HttpOnly; SameSite=Lax"
        );
        assert!(of(true).begin(&id).unwrap().is_sensitive());
    }

    #[test]
    fn one_cookie_is_read() {
        let read = |text: &'static str| {
            let value = HeaderValue::from_static(text);
            let headers = HeaderMap::from_iter([(header::COOKIE, value)]);
            let read = of(true).read(&headers);
            read.map(|id| id.expose_secret().to_owned())
        };
        assert_eq!(read("a=b; __Host-stead=x; c=d").as_deref(), Some("x"));
        assert_eq!(read("stead=x"), None);
        assert_eq!(read("__Host-stead=x; __Host-stead=y"), None);
    }
}
