//! The effect of a raw request, by its method. The product's rules list the `POST` requests that only read.

use http::Method;

use crate::{
    product::ProxyRules,
    tool::{Effect, effect_of_method},
};

/// The effect that a request with this method and path (without the query) can have.
pub(crate) fn effect(rules: &ProxyRules, method: &Method, path: &str) -> Effect {
    let reads = || {
        rules
            .reading_posts
            .iter()
            .any(|pattern| fits(pattern, path))
    };
    if *method == Method::POST && reads() {
        Effect::Read
    } else {
        effect_of_method(method)
    }
}

/// Whether a path matches the segments of a pattern. `*` in a pattern stands for an ID.
fn fits(pattern: &str, path: &str) -> bool {
    let mut given = path.split('/');
    let all = pattern.split('/').all(|segment| {
        given
            .next()
            .is_some_and(|given| match segment.strip_prefix('*') {
                Some(rest) => given.strip_suffix(rest).is_some_and(is_id),
                None => given == segment,
            })
    });
    all && given.next().is_none()
}

fn is_id(text: &str) -> bool {
    let of_id = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !text.is_empty() && text.bytes().all(of_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: ProxyRules = ProxyRules {
        reading_posts: &["/v1/search", "/v1/tables/*/query", "/v1/tables/*:find"],
        ..ProxyRules::BASE
    };

    #[test]
    fn a_post_is_a_read_only_if_the_product_lists_it() {
        let is_read = |method, path| effect(&RULES, &method, path) == Effect::Read;
        for path in ["/v1/search", "/v1/tables/a-1_B/query", "/v1/tables/a:find"] {
            assert!(is_read(Method::POST, path), "{path}");
            for other in [Method::PUT, Method::PATCH, Method::DELETE] {
                assert!(!is_read(other.clone(), path), "{other} {path}");
            }
        }
        for path in [
            "/v1/search/",
            "/v1/search;x",
            "/v1/Search",
            "/v1//search",
            "/v1/tables//query",
            "/v1/tables/a%2Fb/query",
            "/v1/tables/a/b/query",
            "/v1/tables/a/query/x",
            "/v1/tables/:find",
            "/v1/tables/a:delete:find",
            "/v1/tables",
            "",
        ] {
            assert!(!is_read(Method::POST, path), "{path}");
        }
        assert!(is_read(Method::GET, "/v1/tables"));
    }
}
