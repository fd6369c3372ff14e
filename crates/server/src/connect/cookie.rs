//! The cookie that ties an authorization to one browser.

use http::{HeaderMap, HeaderValue, header};
use stead_core::{environment::Environment, identifier::AuthorizationId};

/// Lifetime of the cookie in seconds: as long as a user may take at the product.
const LIFE: u32 = 900;

/// The cookie that binds an authorization to the browser that started it. Each authorization has its own, so that two
/// tabs don't disturb each other. `SameSite=Lax`, because the product's site navigates the browser back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cookie {
    secure: bool,
}

impl Cookie {
    /// The cookie of an environment. Browsers refuse `__Host-` and `Secure` over plain HTTP, which only this machine
    /// may use.
    pub(crate) fn of(environment: &Environment) -> Self {
        Self {
            secure: environment.public_url().scheme() == "https",
        }
    }

    /// The value that the browser sent. `None` if it sent several.
    pub(crate) fn read(
        self,
        headers: &HeaderMap,
        authorization: AuthorizationId,
    ) -> Option<String> {
        let name = self.name(authorization);
        let mut values = headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|text| text.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(given, _)| *given == name)
            .map(|(_, value)| value);
        match (values.next(), values.next()) {
            (Some(value), None) => Some(value.to_owned()),
            _ => None,
        }
    }

    /// `Set-Cookie` that sets it.
    pub(crate) fn begin(self, authorization: AuthorizationId, value: &str) -> Option<HeaderValue> {
        let mut header = HeaderValue::try_from(self.text(authorization, value, LIFE)).ok()?;
        header.set_sensitive(true);
        Some(header)
    }

    /// `Set-Cookie` that deletes it.
    pub(crate) fn end(self, authorization: AuthorizationId) -> Option<HeaderValue> {
        HeaderValue::try_from(self.text(authorization, "", 0)).ok()
    }

    fn text(self, authorization: AuthorizationId, value: &str, life: u32) -> String {
        let secure = if self.secure { "; Secure" } else { "" };
        format!(
            "{}={value}; Path=/; Max-Age={life}; HttpOnly; SameSite=Lax{secure}",
            self.name(authorization)
        )
    }

    fn name(self, authorization: AuthorizationId) -> String {
        let prefix = if self.secure { "__Host-" } else { "" };
        format!("{prefix}stead-{authorization}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "auth_00000000000000000000000000000007";

    #[test]
    fn attributes_follow_the_scheme() {
        let id = ID.parse().unwrap();
        let begun = Cookie { secure: true }.begin(id, "v").unwrap();
        assert_eq!(
            begun.to_str().unwrap(),
            format!("__Host-stead-{ID}=v; Path=/; Max-Age=900; HttpOnly; SameSite=Lax; Secure"),
        );
        let ended = Cookie { secure: false }.end(id).unwrap();
        assert_eq!(
            ended.to_str().unwrap(),
            format!("stead-{ID}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax")
        );
    }

    #[test]
    fn one_cookie_of_the_authorization_is_read() {
        let (id, plain) = (ID.parse().unwrap(), Cookie { secure: false });
        let read = |text: String| {
            let headers =
                HeaderMap::from_iter([(header::COOKIE, HeaderValue::try_from(text).unwrap())]);
            plain.read(&headers, id)
        };
        assert_eq!(
            read(format!("a=b; stead-{ID}=x=y; c=d")).as_deref(),
            Some("x=y")
        );
        assert_eq!(read(format!("__Host-stead-{ID}=x")), None);
        assert_eq!(read(format!("stead-{ID}=x; stead-{ID}=y")), None);
    }
}
