//! Kinds of requests that Stead refuses unless the connection allows them.

use super::{Product, classify::SentRequest, sent::Unclear};

/// A kind of requests that Stead refuses unless the connection allows it.
#[derive(Debug, Clone, Copy)]
pub struct Guard {
    /// Its name in a connection's `allowed_requests`, such as `empty_trash`.
    pub name: &'static str,
    /// The effect of such a request, as a sentence that begins with a verb: `Deletes all files in the trash.`
    pub about: &'static str,
    /// The requests of this kind.
    pub requests: &'static [GuardedRequest],
    /// Whether it's only about raw requests, because a tool is meant to send such requests.
    pub spares_tools: bool,
}

impl Guard {
    /// A kind of requests, for tools and raw requests alike.
    pub const fn new(
        name: &'static str,
        about: &'static str,
        requests: &'static [GuardedRequest],
    ) -> Self {
        Self {
            name,
            about,
            requests,
            spares_tools: false,
        }
    }

    /// Lets tools send such requests.
    #[must_use]
    pub const fn spares_tools(self) -> Self {
        Self {
            spares_tools: true,
            ..self
        }
    }

    /// Its sentence as a part of another one: `deletes all files in the trash`.
    pub fn phrase(&self) -> String {
        let text = self.about.trim_end_matches('.');
        let mut letters = text.chars();
        let first = letters.next().into_iter().flat_map(char::to_lowercase);
        first.chain(letters.as_str().chars()).collect()
    }
}

/// Requests of a guarded kind.
#[derive(Debug, Clone, Copy)]
pub struct GuardedRequest {
    methods: &'static str,
    path: &'static str,
    reads_body: bool,
    when: When,
}

/// Whether a request is of the kind. Unclear if that can't be read from it.
type When = fn(&SentRequest<'_>) -> Result<bool, Unclear>;

impl GuardedRequest {
    /// Requests with one of these methods, separated by spaces, and with a path such as `/drive/v3/files/*`. `*`
    /// matches a segment, and `**` at the end all remaining ones.
    pub const fn new(methods: &'static str, path: &'static str) -> Self {
        Self {
            methods,
            path,
            reads_body: false,
            when: |_| Ok(true),
        }
    }

    /// Only if this holds for the path and the query.
    #[must_use]
    pub const fn when(self, when: When) -> Self {
        Self { when, ..self }
    }

    /// Only if this holds for the body. Stead then reads the body before it sends the request.
    #[must_use]
    pub const fn when_body(self, when: When) -> Self {
        Self {
            when,
            reads_body: true,
            ..self
        }
    }

    fn fits(&self, method: &str, path: &[String]) -> bool {
        let mut methods = self.methods.split(' ');
        // A server may also accept the path below another prefix, such as `/upload`.
        methods.any(|one| one == method)
            && (0..path.len()).any(|from| fits(self.path, &path[from..]))
    }
}

/// A request that needs the connection's permission.
#[derive(Debug, Clone, Copy)]
pub struct Guarded {
    /// The kind that the connection has to allow.
    pub guard: &'static Guard,
    /// Whether it's certain that the request is of this kind. Otherwise it may be.
    pub is_certain: bool,
}

impl Product {
    /// The kind of a request that the connection has to allow. The first kind that fits decides.
    pub fn guarded(&'static self, request: &SentRequest<'_>) -> Option<Guarded> {
        let path = self.guarded_path(request)?;
        self.guards.iter().find_map(|guard| {
            let mut fitting = guard
                .requests
                .iter()
                .filter(|one| one.fits(request.method.as_str(), &path));
            fitting.find_map(|one| match (one.when)(request) {
                Ok(false) => None,
                of_kind => Some(Guarded {
                    guard,
                    is_certain: of_kind.is_ok(),
                }),
            })
        })
    }

    /// The kinds for which the body tells whether a request with this method and path is one of them.
    pub fn guards_of_body(
        &'static self,
        request: &SentRequest<'_>,
    ) -> impl Iterator<Item = &'static Guard> {
        let path = self.guarded_path(request).unwrap_or_default();
        self.guards.iter().filter(move |guard| {
            let mut requests = guard.requests.iter();
            requests.any(|one| one.reads_body && one.fits(request.method.as_str(), &path))
        })
    }

    /// The segments to compare with guarded requests. `None` if the request can't be one, such as a `GET`.
    fn guarded_path(&self, request: &SentRequest<'_>) -> Option<Vec<String>> {
        let may_be = !self.guards.is_empty() && !request.is_get();
        may_be.then(|| request.lenient_segments())
    }
}

/// Whether the segments of a path match a pattern.
fn fits(pattern: &str, path: &[String]) -> bool {
    let mut given = path.iter();
    for wanted in pattern.split('/').filter(|wanted| !wanted.is_empty()) {
        if wanted == "**" {
            return true;
        }
        match given.next() {
            Some(given) if wanted == "*" || given.eq_ignore_ascii_case(wanted) => {}
            _ => return false,
        }
    }
    given.next().is_none()
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;

    static PRODUCT: Product = Product {
        guards: &[
            Guard::new(
                "empty_trash",
                "Deletes all files in the trash.",
                &[GuardedRequest::new("DELETE", "/v1/files/trash")],
            ),
            Guard::new(
                "delete_files",
                "Deletes files.",
                &[
                    GuardedRequest::new("DELETE", "/v1/files/*"),
                    GuardedRequest::new("POST PUT", "/v1/admin/**")
                        .when_body(|request| Ok(request.members()?.contains_key("deletes"))),
                ],
            ),
        ],
        ..Product::BASE
    };

    fn guarded(method: &str, path: &str, body: Option<&[u8]>) -> Option<(&'static str, bool)> {
        let guarded = PRODUCT.guarded(&SentRequest {
            method: &method.parse().unwrap(),
            path,
            query: None,
            content_type: Some("application/json"),
            body,
        });
        guarded.map(|guarded| (guarded.guard.name, guarded.is_certain))
    }

    #[test]
    fn a_request_is_found_in_every_form_of_its_path() {
        for path in [
            "/v1/files/1",
            "/v1/files/1/",
            "/v1//files/1",
            "/v1/Files/1",
            "/v1/files;a=b/1",
            "/v1/files/;1",
            "/v1/%66iles/1",
            "/v1/%2566iles/1",
            "/v1/files%20/1",
            "/upload/v1/files/1",
        ] {
            assert_eq!(
                guarded("DELETE", path, None),
                Some(("delete_files", true)),
                "{path}"
            );
        }
        assert_eq!(
            guarded("DELETE", "/v1/files/trash/", None),
            Some(("empty_trash", true))
        );
        for (method, path) in [
            ("GET", "/v1/files/1"),
            ("HEAD", "/v1/files/trash"),
            ("PATCH", "/v1/files/1"),
            ("DELETE", "/v1/files"),
            ("DELETE", "/v1/files/1/comments"),
            ("DELETE", "/v1/files/1/comments/2"),
            ("DELETE", "/v2/files/1"),
            ("DELETE", "/"),
            ("DELETE", ""),
        ] {
            assert_eq!(guarded(method, path, None), None, "{method} {path}");
        }
    }

    #[test]
    fn a_body_that_is_not_read_may_be_of_the_kind() {
        let found = |body| guarded("POST", "/v1/admin/x/y", body);
        assert_eq!(found(Some(b"{}")), None);
        assert_eq!(found(Some(b"")), None);
        assert_eq!(
            found(Some(br#"{"deletes":1}"#)),
            Some(("delete_files", true))
        );
        for body in [None, Some(&b"deletes"[..]), Some(br#"{"a":1,"a":2}"#)] {
            assert_eq!(found(body), Some(("delete_files", false)));
        }
        let needed = |method: Method, path| {
            let request = SentRequest {
                method: &method,
                path,
                query: None,
                content_type: None,
                body: None,
            };
            PRODUCT.guards_of_body(&request).count()
        };
        assert_eq!(needed(Method::PUT, "/v1/admin"), 1);
        assert_eq!(needed(Method::DELETE, "/v1/admin"), 0);
        assert_eq!(needed(Method::DELETE, "/v1/files/1"), 0);
    }

    #[test]
    fn a_sentence_becomes_a_part_of_another() {
        assert_eq!(PRODUCT.guards[0].phrase(), "deletes all files in the trash");
    }
}
