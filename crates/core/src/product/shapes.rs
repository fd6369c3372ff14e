//! The queries and bodies that a product's description knows. Policy rules treat everything else as unknown. The
//! description lists harmless requests, because no one can list all dangerous ones.

use serde_json::{Map, Value};

use super::{
    classify::{Classification, Fact, FactKind, SentRequest},
    sent::{decode, json_object},
};
use crate::tool::Effect;

/// A table of queries and bodies, as a text:
///
/// ```text
/// ? fields prettyPrint
/// POST /v1/tasks = Task
/// Task: title due=Date links=Link notes*
/// Link: href@url
/// Date: day month
/// ```
///
/// - `?` lists the parameters that a query can have.
/// - A line that starts with a method names the body of that request. `= *` means that the product's code reads the
///   body. All other requests have no body.
/// - The other lines list the members of an object. A plain member holds no object. `=` names the line for the objects
///   in it, `*` accepts anything in it, and `@` makes its text a fact of that kind. The name `*` matches every name.
/// - `#` starts a comment. Lines with the same name are combined.
#[derive(Debug, Clone, Copy)]
pub struct Shapes(&'static str);

/// Facts that a table finds in a query and a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// Facts of the members that the table marks with `@`.
    pub facts: Vec<Fact>,
    /// Whether the table lists everything in the request.
    pub is_known: bool,
}

impl Shapes {
    /// A table.
    pub const fn new(table: &'static str) -> Self {
        Self(table)
    }

    /// Reads the query and the body of a request.
    pub fn read(&self, request: &SentRequest<'_>) -> Contents {
        let mut contents = self.body_of(request);
        contents.is_known &= self.lists_query(request.query.unwrap_or_default());
        contents
    }

    /// Reads an object with the line of this name.
    pub fn object(&self, name: &str, object: &Map<String, Value>) -> Contents {
        let mut contents = Contents {
            facts: Vec::new(),
            is_known: true,
        };
        self.members(name, object, &mut contents);
        contents
    }

    /// Kinds of facts that the table marks, for the product's test suite.
    pub fn kinds(&self) -> impl Iterator<Item = &'static str> {
        let lines = self.lines().filter(|line| is_list(line));
        lines
            .flat_map(str::split_whitespace)
            .filter_map(|entry| Some(entry.split_once('@')?.1))
    }

    fn lines(&self) -> impl Iterator<Item = &'static str> {
        let lines = self.0.lines().map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
    }

    fn body_of(&self, request: &SentRequest<'_>) -> Contents {
        let unknown = Contents {
            facts: Vec::new(),
            is_known: false,
        };
        let known = || Contents {
            is_known: true,
            ..unknown.clone()
        };
        let name = self.lines().find_map(|line| {
            let (route, name) = line.split_once(" = ")?;
            let (method, path) = route.split_once(' ')?;
            (method == request.method.as_str() && fits(path, request.path)).then_some(name)
        });
        if name == Some("*") {
            return known();
        }
        match (request.body, name) {
            (None, _) => unknown,
            (Some(body), _) if body.trim_ascii().is_empty() => known(),
            (Some(_), Some(name)) => request
                .json()
                .map_or(unknown, |body| self.object(name, &body)),
            (Some(body), None) => match json_object(body) {
                Some(members) if members.is_empty() => known(),
                _ => unknown,
            },
        }
    }

    fn lists_query(&self, query: &str) -> bool {
        let lists = |pair: &str| {
            let name = pair.split('=').next().unwrap_or_default().replace('+', " ");
            let name = decode(&name).unwrap_or_default();
            let lists = self.lines().filter_map(|line| line.strip_prefix("? "));
            let mut names = lists.flat_map(str::split_whitespace);
            names.any(|listed| listed == name)
        };
        let mut pairs = query.split('&').filter(|pair| !pair.is_empty());
        !query.contains(';') && pairs.all(lists)
    }

    fn members(&self, name: &str, object: &Map<String, Value>, contents: &mut Contents) {
        let lists = self.lines().filter(|line| is_list(line));
        let lists = lists.filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let entries: Vec<(&str, &str)> = lists.flat_map(str::split_whitespace).map(entry).collect();
        for (member, value) in object {
            let listed = entries
                .iter()
                .find(|(name, _)| name == member || *name == "*");
            match listed {
                Some((_, rule)) => self.value(rule, value, contents),
                None => contents.is_known = false,
            }
        }
    }

    fn value(&self, rule: &'static str, value: &Value, contents: &mut Contents) {
        let kind = rule.strip_prefix('@');
        match (value, rule.strip_prefix('=')) {
            _ if rule == "*" => {}
            (Value::Null, _) => {}
            (Value::Array(items), _) => {
                for item in items {
                    self.value(rule, item, contents);
                }
            }
            (Value::Object(object), Some(name)) => self.members(name, object, contents),
            (Value::Object(_), None) | (_, Some(_)) => contents.is_known = false,
            (_, None) => contents.facts.extend(kind.map(|kind| Fact {
                kind,
                value: value.as_str().map(str::to_owned),
            })),
        }
    }
}

/// Whether a path matches the path of a line. `*` matches a segment or a part of one, and `**` matches all following
/// segments.
fn fits(line: &str, path: &str) -> bool {
    let mut given = path.split('/');
    for part in line.split('/') {
        let (Some(given), false) = (given.next(), part == "**") else {
            return part == "**";
        };
        let fits = match part.split_once('*') {
            None => part == given,
            Some((start, end)) => {
                let inner = given.strip_prefix(start);
                let inner = inner.and_then(|inner| inner.strip_suffix(end));
                inner.is_some_and(|inner| !inner.is_empty())
            }
        };
        if !fits {
            return false;
        }
    }
    given.next().is_none()
}

/// Whether a line lists the members of an object.
fn is_list(line: &str) -> bool {
    let name = line.split_whitespace().next();
    name.is_some_and(|name| name.ends_with(':'))
}

/// The name of a member, and the table's description of its value.
fn entry(entry: &'static str) -> (&'static str, &'static str) {
    let from = usize::from(entry.starts_with('*'));
    let at = entry[from..].find(['=', '*', '@']);
    entry.split_at(at.map_or(entry.len(), |at| at + from))
}

impl Classification {
    /// Adds the facts of a request's members. If the request holds something unknown, it may concern anything of these
    /// kinds. It may also delete something, unless it's known to be read-only.
    #[must_use]
    pub fn holding(
        mut self,
        contents: Contents,
        kinds: &[FactKind],
        request: &SentRequest<'_>,
    ) -> Self {
        self.facts.extend(contents.facts);
        if contents.is_known {
            return self;
        }
        let reads = self.effect == Some(Effect::Read) || request.is_get();
        let known = kinds
            .iter()
            .fold(self, |known, kind| known.unknown(kind.name));
        match reads {
            true => known,
            false => known.effect(Effect::Delete),
        }
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;

    const TABLE: Shapes = Shapes::new(
        "# Tasks\n\
         ? fields page_size\n\
         POST /v1/tasks = Task\n\
         POST /v1/files/*:send = *\n\
         Task: title tags due=Date links=Link notes* fields=Fields\n\
         Task: done\n\
         Date: day month\n\
         Fields: *=Date\n\
         Link: href@url",
    );

    fn read(method: &Method, target: &str, body: &str) -> Contents {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        TABLE.read(&SentRequest {
            method,
            path,
            query: Some(query),
            content_type: Some("application/json"),
            body: Some(body.as_bytes()),
        })
    }

    #[test]
    fn only_listed_members_are_known() {
        for body in [
            "",
            "{}",
            r#"{"title":"a","tags":["b",[1]],"done":true,"due":null}"#,
            r#"{"due":{"day":1},"notes":{"any":{"thing":[{}]}},"links":[]}"#,
            r#"{"fields":{"a":{"day":1},"b":[{"month":2}]}}"#,
        ] {
            assert!(
                read(&Method::POST, "/v1/tasks?fields=a", body).is_known,
                "{body}"
            );
        }
        for body in [
            r#"{"Title":"a"}"#,
            r#"{"title":{"a":1}}"#,
            r#"{"title":["a",{"b":1}]}"#,
            r#"{"due":"today"}"#,
            r#"{"due":{"day":1,"year":2}}"#,
            r#"{"fields":{"a":{"year":1}}}"#,
            r#"{"*":1}"#,
            r#"{"title":"a","title":"b"}"#,
            "[]",
        ] {
            assert!(!read(&Method::POST, "/v1/tasks", body).is_known, "{body}");
        }
        for (method, target, body, is_known) in [
            (Method::GET, "/v1/tasks?fields=a&page_size=1", "", true),
            (Method::GET, "/v1/tasks?%66ields=a&", "", true),
            (Method::GET, "/v1/tasks?Fields=a", "", false),
            (Method::GET, "/v1/tasks?fields=a;b=c", "", false),
            (Method::GET, "/v1/tasks?%=a", "", false),
            (Method::GET, "/v1/tasks", r#"{"title":"a"}"#, false),
            (Method::PATCH, "/v1/tasks", r#"{"title":"a"}"#, false),
            (Method::POST, "/v1/files/1:send", "any", true),
            (Method::POST, "/v1/files/1:sent", "any", false),
        ] {
            assert_eq!(read(&method, target, body).is_known, is_known, "{target}");
        }
    }

    #[test]
    fn a_marked_member_is_a_fact() {
        let body = r#"{"links":[{"href":"https://a.example"},{"href":7}]}"#;
        let found = read(&Method::POST, "/v1/tasks", body);
        let values: Vec<_> = found
            .facts
            .iter()
            .map(|fact| fact.value.as_deref())
            .collect();
        assert_eq!(values, [Some("https://a.example"), None]);
        assert!(found.facts.iter().all(|fact| fact.kind == "url") && found.is_known);
        assert_eq!(TABLE.kinds().collect::<Vec<_>>(), ["url"]);
    }

    #[test]
    fn an_unknown_part_of_a_request_makes_its_facts_unknown() {
        let kinds = [FactKind {
            name: "task",
            description: "A task.",
        }];
        let held = |method: &Method, known: Classification| {
            let request = SentRequest {
                method,
                path: "/v1/tasks",
                query: Some("unheard=1"),
                content_type: None,
                body: Some(b""),
            };
            known.holding(TABLE.read(&request), &kinds, &request)
        };
        let unknown = Classification::default().unknown("task");
        let deletes = unknown.clone().effect(Effect::Delete);
        assert_eq!(held(&Method::GET, Classification::default()), unknown);
        assert_eq!(held(&Method::POST, Classification::default()), deletes);
        let reads = Classification::default().effect(Effect::Read);
        let both = unknown.effect(Effect::Read);
        assert_eq!(held(&Method::POST, reads), both);
    }
}
