//! `ANY /proxy/{connection_name}/{identifier}/{product path}`, and any path of the proxy host. The product's path and
//! query are forwarded byte for byte, and both bodies as they arrive.

use axum::{extract::Request, response::Response};
use http::{Uri, uri::PathAndQuery};
use http_body::Body as _;
use percent_encoding::percent_decode_str;
use stead::{Error, ErrorKind};
use stead_core::{environment::Environment, ports::Body};

use super::pass_on;
use crate::{
    extract::{Acting, KeepsComing},
    problem::Result,
};

pub(crate) async fn streaming(Acting(environment): Acting, request: Request) -> Result<Response> {
    let target = Target::read(request.uri())?;
    let request = received(&environment, target.uri, request);
    Ok(pass_on(
        environment
            .proxy_streaming(&target.connection_name, &target.identifier, request)
            .await?,
    ))
}

/// A request to the proxy host. Its path and query are the product's, and the token decides which account is used.
pub(crate) async fn at_proxy_host(
    Acting(environment): Acting,
    request: Request,
) -> Result<Response> {
    let target = request.uri().path_and_query().cloned();
    let target = target.unwrap_or_else(|| PathAndQuery::from_static("/"));
    let request = received(&environment, target.into(), request);
    Ok(pass_on(environment.proxy_host(request).await?))
}

/// The request for the product. Its body is forwarded as long as it keeps arriving.
fn received(environment: &Environment, uri: Uri, request: Request) -> http::Request<Body> {
    let (parts, body) = request.into_parts();
    let body = if body.is_end_stream() {
        Body::Empty
    } else {
        Body::stream(KeepsComing::new(
            body,
            environment.clone(),
            Environment::runtime,
        ))
    };
    let mut request = http::Request::new(body);
    *request.method_mut() = parts.method;
    *request.uri_mut() = uri;
    *request.headers_mut() = parts.headers;
    request
}

/// The parts of a request's path.
#[derive(Debug, PartialEq)]
struct Target {
    connection_name: String,
    identifier: String,
    /// The product's path and query.
    uri: Uri,
}

impl Target {
    /// Splits the undecoded text at its slashes. Decoding first would change the product's path, in which `%2F` isn't a
    /// slash.
    fn read(uri: &Uri) -> Result<Self, Error> {
        let malformed =
            |what: &str| Error::new(ErrorKind::InvalidRequest, format!("the proxy path {what}"));
        let whole = uri.path_and_query().map_or("", PathAndQuery::as_str);
        let rest = whole
            .strip_prefix("/proxy/")
            .ok_or_else(|| malformed("doesn't start with /proxy/"))?;
        let (connection_name, rest) = rest
            .split_once('/')
            .ok_or_else(|| malformed("has no identifier"))?;
        let (identifier, product) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let decode = |segment: &str| match percent_decode_str(segment).decode_utf8() {
            Ok(text) => Ok(text.into_owned()),
            Err(_) => Err(malformed("has percent-encoding that isn't UTF-8")),
        };
        let product = match product.as_bytes() {
            [b'/', ..] => PathAndQuery::try_from(product),
            _ => PathAndQuery::try_from(format!("/{product}")),
        };
        Ok(Self {
            connection_name: decode(connection_name)?,
            identifier: decode(identifier)?,
            uri: product
                .map_err(|_| malformed("doesn't have a valid product path"))?
                .into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> (String, String, String) {
        let Target {
            connection_name,
            identifier,
            uri,
        } = Target::read(&path.parse().unwrap()).unwrap();
        (connection_name, identifier, uri.to_string())
    }

    #[test]
    fn the_product_path_is_taken_byte_for_byte() {
        let expect = |identifier: &str, product: &str| {
            (
                String::from("mail"),
                identifier.to_owned(),
                product.to_owned(),
            )
        };
        assert_eq!(
            read("/proxy/mail/u1/v1/users/me?a=%2f&b"),
            expect("u1", "/v1/users/me?a=%2f&b")
        );
        assert_eq!(
            read("/proxy/mail/a%2Fb%20%252F%40%C3%BC/x%2Fy//..;z"),
            expect("a/b %2F@ü", "/x%2Fy//..;z")
        );
        assert_eq!(
            read("/proxy/mail/u1//evil.test/x"),
            expect("u1", "//evil.test/x")
        );
        assert_eq!(
            read("/proxy/mail/proxy/proxy/mail/u1"),
            expect("proxy", "/proxy/mail/u1")
        );
        assert_eq!(read("/proxy/mail/u1"), expect("u1", "/"));
        assert_eq!(read("/proxy/mail/u1?a=/b"), expect("u1", "/?a=/b"));
        assert_eq!(
            read("http://elsewhere.test/proxy/mail/u1/v1"),
            expect("u1", "/v1")
        );
    }

    #[test]
    fn names_that_are_not_text_are_refused() {
        for bad in ["/proxy/mail/%FF/v1", "/proxy/%C0%AF/u1/v1", "/proxy/mail"] {
            let error = Target::read(&bad.parse().unwrap()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{bad}");
        }
    }
}
