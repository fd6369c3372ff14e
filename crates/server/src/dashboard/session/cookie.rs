//! The cookies of a session, and of a sign-in that is under way at the provider.

use http::{HeaderMap, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use stead::core::environment::Environment;

use crate::dashboard::cookie;

/// A cookie of the dashboard. `SameSite=Lax`, so that whoever follows a link to the dashboard is signed in there, and the
/// browser that comes back from the provider is known.
#[derive(Debug)]
pub(super) struct Cookie {
    /// Its name over https, and over plain http.
    names: (&'static str, &'static str),
    /// When the browser forgets it, as an attribute.
    life: &'static str,
    secure: bool,
    /// Over plain http, which only this machine may use, browsers refuse `__Host-` and `Secure`; the path is then the
    /// dashboard's.
    path: String,
}

impl Cookie {
    /// The one that holds the id of a session. It ends with the browser, and the session by itself before.
    pub(super) fn of_session(environment: &Environment) -> Self {
        Self::new(environment, ("__Host-stead", "stead"), "")
    }

    /// The one that binds a browser on its way to the provider and back.
    pub(super) fn of_attempt(environment: &Environment) -> Self {
        let names = ("__Host-stead-sign-in", "stead-sign-in");
        Self::new(environment, names, "; Max-Age=600")
    }

    /// The one by which a browser is known that an account has signed in with.
    pub(super) fn of_device(environment: &Environment) -> Self {
        let names = ("__Host-stead-device", "stead-device");
        Self::new(environment, names, "; Max-Age=15552000")
    }

    fn new(
        environment: &Environment,
        names: (&'static str, &'static str),
        life: &'static str,
    ) -> Self {
        let url = environment.public_url();
        let secure = url.scheme() == "https";
        let below = url.path().trim_end_matches('/');
        Self {
            names,
            life,
            secure,
            path: match secure {
                true => String::from("/"),
                false => format!("{below}/dashboard"),
            },
        }
    }

    /// The value that the browser sent; none where it sent several.
    pub(super) fn read(&self, headers: &HeaderMap) -> Option<SecretString> {
        cookie::read(headers, self.name()).map(SecretString::from)
    }

    /// `Set-Cookie` that begins it.
    pub(super) fn begin(&self, value: &SecretString) -> Option<HeaderValue> {
        let text = self.text(value.expose_secret(), self.life);
        let mut header = HeaderValue::try_from(text).ok()?;
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
        let (secure, plain) = self.names;
        if self.secure { secure } else { plain }
    }
}

#[cfg(test)]
mod tests {
    use http::header;

    use super::*;

    fn of(secure: bool) -> Cookie {
        let path = String::from(if secure { "/" } else { "/dashboard" });
        Cookie {
            names: ("__Host-stead", "stead"),
            life: "",
            secure,
            path,
        }
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
