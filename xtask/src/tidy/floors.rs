//! The floors of core: a module imports from its own folder and from lower floors, never from above or sideways.

use super::imports::{Import, ModulePath};

/// A floor; the lowest comes first in [`FLOORS`].
struct Floor {
    what: &'static str,
    /// Modules at the top of core.
    modules: &'static [&'static str],
    within: Within,
}

/// Which imports between the modules of one floor are allowed.
enum Within {
    /// From those that stand before it in the list.
    Order,
    /// From each other. A resource is declared once, with its private members, and its transitions are apart from that.
    Together,
    /// These: who, and from whom.
    Only(&'static [(&'static str, &'static [&'static str])]),
}

const FLOORS: &[Floor] = &[
    Floor {
        what: "descriptions and views",
        modules: &[
            "boxed",
            "scrub",
            "similar",
            "shares",
            "digest",
            "sealed",
            "jwt",
            "error",
            "identifier",
            "trace",
            "state",
            "tool",
            "results",
            "scope",
            "caller",
            "ports",
            "schema",
            "product",
            "catalogue",
            "api",
        ],
        within: Within::Order,
    },
    Floor {
        what: "resources and their transitions",
        modules: &["resource", "domain"],
        within: Within::Together,
    },
    Floor {
        what: "what is shown of several resources",
        modules: &["agent", "metrics"],
        within: Within::Order,
    },
    Floor {
        what: "rows and keys",
        modules: &["store", "seal"],
        within: Within::Order,
    },
    Floor {
        what: "the context of a service",
        modules: &["tasks", "endpoints", "context"],
        within: Within::Order,
    },
    Floor {
        what: "services",
        modules: &[
            "connections",
            "accounts",
            "audit",
            "oauth",
            "policy",
            "call",
            "proxy",
            "events",
            "access",
            "keys",
            "maintenance",
            "tool_calls",
        ],
        within: Within::Only(&[
            ("call", &["oauth", "proxy", "policy"]),
            ("connections", &["oauth"]),
            ("accounts", &["oauth"]),
            ("access", &["oauth"]),
            ("maintenance", &["accounts", "keys", "oauth", "policy"]),
            ("tool_calls", &["call", "oauth"]),
        ]),
    },
    Floor {
        what: "the handle of an application",
        modules: &["environment"],
        within: Within::Order,
    },
];

/// May import anything, like the tests that they are for.
const FOR_TESTS: [&str; 2] = ["testing", "fuzzing"];

/// Imports that go up or sideways, and modules that stand on no floor.
pub(crate) fn imports_go_down(imports: &[Import]) -> Vec<String> {
    let mut faults = Vec::new();
    for Import { place, from, to } in imports {
        let (Some(from), Some(to)) = (top(from), top(to)) else {
            continue;
        };
        if from == to || FOR_TESTS.contains(&from) {
            continue;
        }
        match (position(from), position(to)) {
            (Some(_), Some(_)) if goes_down(from, to) => {}
            (Some((above, _)), Some((below, _))) => faults.push(format!(
                "{place}: {from} ({}) imports {to} ({})",
                FLOORS[above].what, FLOORS[below].what
            )),
            (None, _) => faults.push(unknown(from)),
            (_, None) => faults.push(unknown(to)),
        }
    }
    faults.sort_unstable();
    faults.dedup();
    faults
}

fn unknown(module: &str) -> String {
    format!("crates/core: {module} is not in the table FLOORS of xtask/src/tidy/floors.rs")
}

/// The name under which modules that may import each other count as one in a circle.
pub(super) fn unit(module: &str) -> &str {
    let together = FLOORS
        .iter()
        .filter(|floor| matches!(floor.within, Within::Together));
    let mut groups = together.map(|floor| floor.modules);
    let group = groups.find(|modules| modules.contains(&module));
    group.map_or(module, |modules| modules[0])
}

/// The module at the top of the crate; the root itself may import anything.
fn top(module: &ModulePath) -> Option<&str> {
    module.first().map(String::as_str)
}

/// Floor, and place within it.
fn position(module: &str) -> Option<(usize, usize)> {
    FLOORS.iter().enumerate().find_map(|(floor, known)| {
        let within = known.modules.iter().position(|name| *name == module)?;
        Some((floor, within))
    })
}

fn goes_down(from: &str, to: &str) -> bool {
    let (Some((above, later)), Some((below, earlier))) = (position(from), position(to)) else {
        return false;
    };
    if above != below {
        return above > below;
    }
    match FLOORS[above].within {
        Within::Order => later > earlier,
        Within::Together => true,
        Within::Only(allowed) => allowed
            .iter()
            .any(|(who, whom)| *who == from && whom.contains(&to)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_that_goes_up_or_sideways_is_found() {
        for (from, to, good) in [
            ("environment", "call::send", true),
            ("call::send", "oauth", true),
            ("call", "call::send", true),
            ("catalogue", "tool", true),
            ("seal", "store", true),
            ("testing::world", "environment", true),
            ("", "environment", true),
            ("accounts", "", true),
            ("tool", "catalogue", false),
            ("oauth::refresh", "call", false),
            ("accounts", "call", false),
            ("domain::account", "state", true),
            ("domain::account", "resource", true),
            ("resource::account", "domain", true),
            ("resource::account", "store", false),
            ("domain::account", "store", false),
            ("store", "context", false),
            ("context", "environment", false),
        ] {
            let faults = imports_go_down(&[import(from, to)]);
            assert_eq!(faults.is_empty(), good, "{from} to {to}: {faults:?}");
        }
        assert_eq!(
            imports_go_down(&[import("store::memory", "oauth"), import("wild", "tool")]),
            [
                "crates/core: wild is not in the table FLOORS of xtask/src/tidy/floors.rs",
                "here:1: store (rows and keys) imports oauth (services)",
            ]
        );
    }

    #[test]
    fn no_module_stands_on_two_floors() {
        let mut all: Vec<&str> = FLOORS
            .iter()
            .flat_map(|floor| floor.modules)
            .copied()
            .collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        for floor in FLOORS {
            if let Within::Only(allowed) = floor.within {
                for (who, whom) in allowed {
                    assert!(
                        whom.iter()
                            .chain([who])
                            .all(|name| floor.modules.contains(name))
                    );
                }
            }
        }
    }

    fn import(from: &str, to: &str) -> Import {
        let [from, to] = [from, to].map(|path| {
            path.split("::")
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect()
        });
        Import {
            place: "here:1".to_owned(),
            from,
            to,
        }
    }
}
