//! Checks the picture of core in docs/architecture.md: its three levels, and what each service calls and uses.
//!
//! The page is the declaration. A module imports only from its own level and from lower ones. A service may call
//! another service or use a part of the context only if the page says so, and must do so if it says so.

use std::collections::{BTreeMap, BTreeSet};

use super::imports::{Import, ModulePath, Sources};

/// A resource and its private members are declared once, and its transitions elsewhere. So these two import each other.
const TOGETHER: [&str; 2] = ["resource", "domain"];
/// Modules that may import anything: the one that applications hold, and those that only tests use.
const FREE: [&str; 3] = ["environment", "testing", "fuzzing"];
/// How many parts of the context a service may use.
const PARTS: usize = 6;

/// The picture on the page.
#[derive(Debug, Default)]
pub(crate) struct Levels {
    /// The level of each module, from 1. Services have the highest.
    modules: BTreeMap<String, usize>,
    services: BTreeMap<String, Service>,
}

#[derive(Debug, Default)]
struct Service {
    calls: BTreeSet<String>,
    parts: BTreeSet<String>,
}

impl Levels {
    /// Reads the tables that begin with `| Level |` and `| Service |`.
    pub(crate) fn read(page: &str) -> Self {
        let mut levels = Self::default();
        for row in rows(page, "| Level |") {
            let level = row.first().and_then(|cell| cell.parse().ok());
            let names = row.get(1).map(|cell| names(cell)).unwrap_or_default();
            let level = names.into_iter().zip(std::iter::repeat(level));
            let level = level.filter_map(|(name, level)| Some((name, level?)));
            levels.modules.extend(level);
        }
        let highest = levels.modules.values().max().copied().unwrap_or_default();
        for row in rows(page, "| Service |") {
            if let [name, calls, parts] = row.as_slice() {
                let [calls, parts] = [calls, parts].map(|cell| names(cell));
                for name in names(name) {
                    levels.modules.insert(name.clone(), highest + 1);
                    let (calls, parts) = (calls.clone(), parts.clone());
                    levels.services.insert(name, Service { calls, parts });
                }
            }
        }
        levels
    }

    /// The differences between the sources and the picture.
    pub(crate) fn faults(&self, sources: &Sources) -> Vec<String> {
        let mut faults: BTreeSet<String> = BTreeSet::new();
        let mut drawn: BTreeSet<(&str, &str)> = self.arrows().collect();
        for Import { place, from, to } in &sources.imports {
            let (Some(from), Some(to)) = (top(from), top(to)) else {
                continue;
            };
            if from == to || FREE.contains(&from) {
                continue;
            }
            drawn.remove(&(from, to));
            let (Some(above), Some(below)) = (self.modules.get(from), self.modules.get(to)) else {
                let unknown = [from, to].into_iter().filter(|name| !FREE.contains(name));
                let unknown = unknown.filter(|name| !self.modules.contains_key(*name));
                faults.extend(unknown.map(|name| format!("crates/core: {name} is on no level")));
                if FREE.contains(&to) {
                    faults.insert(format!("{place}: {from} imports {to}"));
                }
                continue;
            };
            let service = self.services.get(from);
            if below > above
                || (below == above && service.is_some_and(|one| !one.calls.contains(to)))
            {
                faults.insert(format!(
                    "{place}: {from} (level {above}) imports {to} (level {below})"
                ));
            }
        }
        let known: BTreeSet<&str> = self.parts().map(|(_, part)| part).collect();
        let mut parts: BTreeSet<(&str, &str)> = self.parts().collect();
        for (place, module, field) in &sources.fields {
            let Some(service) = top(module).filter(|name| self.services.contains_key(*name)) else {
                continue;
            };
            parts.remove(&(service, field));
            if known.contains(field.as_str()) && !self.services[service].parts.contains(field) {
                faults.insert(format!(
                    "{place}: {service} uses {field}, which isn't drawn"
                ));
            }
        }
        let unused = drawn.into_iter().chain(parts);
        faults.extend(unused.map(|(from, to)| {
            format!("docs/architecture.md: {from} doesn't use {to}, but it's drawn")
        }));
        for (name, service) in &self.services {
            if service.parts.len() > PARTS {
                let count = service.parts.len();
                faults.insert(format!(
                    "docs/architecture.md: {name} uses {count} parts, not {PARTS}"
                ));
            }
        }
        faults.into_iter().collect()
    }

    fn arrows(&self) -> impl Iterator<Item = (&str, &str)> {
        let services = self.services.iter();
        services
            .flat_map(|(name, one)| one.calls.iter().map(move |to| (name.as_str(), to.as_str())))
    }

    fn parts(&self) -> impl Iterator<Item = (&str, &str)> {
        let services = self.services.iter();
        services
            .flat_map(|(name, one)| one.parts.iter().map(move |to| (name.as_str(), to.as_str())))
    }
}

/// The name that a module has in circles. Modules that may import each other share a name.
pub(super) fn unit(module: &str) -> &str {
    match TOGETHER.contains(&module) {
        true => TOGETHER[0],
        false => module,
    }
}

/// The cells of the table whose header begins with `header`.
fn rows<'a>(page: &'a str, header: &str) -> Vec<Vec<&'a str>> {
    let lines = page.lines().skip_while(|line| !line.starts_with(header));
    let lines = lines.skip(2).take_while(|line| line.starts_with('|'));
    lines
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

/// The names in backticks, without a trailing slash.
fn names(cell: &str) -> BTreeSet<String> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted
        .map(|name| name.trim_end_matches('/').to_owned())
        .collect()
}

/// The top-level module. `None` for the root, which may import anything.
fn top(module: &ModulePath) -> Option<&str> {
    module.first().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
| Level | Modules | Content |
|---|---|---|
| 1 | `tool` `error/` | what |
| 2 | `context` `resource` `domain` | what |

| Service | Calls | Parts of the context |
|---|---|---|
| `call` | `oauth` | `host` `site` |
| `oauth` | | `host` |
";

    #[test]
    fn an_import_that_goes_up_or_sideways_is_found() {
        for (from, to, good) in [
            ("environment", "call::send", true),
            ("call::send", "oauth", true),
            ("call", "call::send", true),
            ("error", "tool", true),
            ("testing::world", "environment", true),
            ("", "environment", true),
            ("oauth", "", true),
            ("domain::account", "resource", true),
            ("oauth::refresh", "call", false),
            ("tool", "context", false),
            ("context", "oauth", false),
            ("context", "environment", false),
            ("wild", "tool", false),
        ] {
            let faults = faults(&[(from, to), ("call", "oauth")], &DRAWN);
            assert_eq!(faults.is_empty(), good, "{from} to {to}: {faults:?}");
        }
    }

    #[test]
    fn an_arrow_is_drawn_exactly_if_it_is_used() {
        let call = ("call", "oauth");
        assert_eq!(
            faults(&[], &DRAWN),
            ["docs/architecture.md: call doesn't use oauth, but it's drawn"]
        );
        assert_eq!(
            faults(&[call], &DRAWN[1..]),
            ["docs/architecture.md: call doesn't use host, but it's drawn"]
        );
        let more = [&DRAWN[..], &[("oauth::links", "site"), ("context", "site")]].concat();
        assert_eq!(
            faults(&[call], &more),
            ["here:1: oauth uses site, which isn't drawn"]
        );
    }

    const DRAWN: [(&str, &str); 3] = [("call", "host"), ("call::raw", "site"), ("oauth", "host")];

    fn faults(imports: &[(&str, &str)], fields: &[(&str, &str)]) -> Vec<String> {
        let place = || "here:1".to_owned();
        let path = |text: &str| -> ModulePath {
            let names = text.split("::").filter(|name| !name.is_empty());
            names.map(str::to_owned).collect()
        };
        let imports = imports.iter().map(|(from, to)| Import {
            place: place(),
            from: path(from),
            to: path(to),
        });
        let fields = fields
            .iter()
            .map(|(from, field)| (place(), path(from), (*field).to_owned()));
        Levels::read(PAGE).faults(&Sources {
            imports: imports.collect(),
            fields: fields.collect(),
        })
    }
}
