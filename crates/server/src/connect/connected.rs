//! The cookie that tells the last page which account was connected. A URL would stay in the browser's history, and
//! anyone could forge it.

use http::{HeaderMap, HeaderValue, header};
use stead_core::environment::Environment;
use url::{Url, form_urlencoded};

const NAME: &str = "stead-connected";
/// Maximum length. Longer names are truncated.
const LONGEST: usize = 100;

/// `Set-Cookie` with the account's name, for a minute.
pub(crate) fn set(environment: &Environment, product_user: &str) -> Option<HeaderValue> {
    cookie(environment.public_url(), product_user)
}

fn cookie(public_url: &Url, product_user: &str) -> Option<HeaderValue> {
    let base = public_url.path().trim_end_matches('/');
    let name: String = product_user.chars().take(LONGEST).collect();
    let name: String = form_urlencoded::byte_serialize(name.as_bytes()).collect();
    let cookie =
        format!("{NAME}={name}; Path={base}/connect/done; Max-Age=60; HttpOnly; SameSite=Lax");
    HeaderValue::try_from(cookie).ok()
}

/// The account's name, if the browser has just come from the callback.
pub(super) fn read(headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter();
    cookies
        .filter_map(|cookies| cookies.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .find(|(name, _)| *name == NAME)
        .and_then(|(_, value)| {
            let encoded = format!("name={value}");
            let (_, name) = form_urlencoded::parse(encoded.as_bytes()).next()?;
            Some(name.chars().take(LONGEST).collect::<String>())
        })
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_back_from_its_cookie() {
        for name in ["ada@example.com", "Ada & Søren; a=b", "\u{30a8}"] {
            let public_url = "https://example.com/stead/".parse().unwrap();
            let set = cookie(&public_url, name).unwrap();
            assert!(
                set.to_str()
                    .unwrap()
                    .contains("; Path=/stead/connect/done;")
            );
            let sent = set.to_str().unwrap().split(';').next().unwrap();
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, format!("other=1; {sent}").parse().unwrap());
            assert_eq!(read(&headers).as_deref(), Some(name));
        }
        assert_eq!(read(&HeaderMap::new()), None);
    }
}
