//! Finds circular imports between the folders and files of a crate.
//!
//! The modules with the same parent are compared, each together with everything below it. So a module and its own
//! children may import each other.

use std::collections::{BTreeMap, BTreeSet};

use super::{imports::Import, levels::unit};

type Edges<'a> = BTreeMap<&'a str, BTreeMap<&'a str, &'a str>>;

/// A line for each circle. It has one import for each step.
pub(crate) fn between_modules(folder: &str, imports: &[Import]) -> Vec<String> {
    let mut levels: BTreeMap<&[String], Edges<'_>> = BTreeMap::new();
    for import in imports {
        let shared = import
            .from
            .iter()
            .zip(&import.to)
            .take_while(|(from, to)| from == to)
            .count();
        if let (Some(from), Some(to)) = (import.from.get(shared), import.to.get(shared)) {
            let (from, to) = match shared {
                0 => (unit(from), unit(to)),
                _ => (from.as_str(), to.as_str()),
            };
            if from == to {
                continue;
            }
            let edges = levels.entry(&import.from[..shared]).or_default();
            edges
                .entry(from)
                .or_default()
                .entry(to)
                .or_insert(&import.place);
        }
    }
    let mut faults = Vec::new();
    for (level, edges) in &levels {
        for circle in circles(edges) {
            let steps = circle.iter().zip(circle.iter().cycle().skip(1));
            let steps: Vec<String> = steps
                .map(|(from, to)| format!("{from} imports {to} ({})", edges[from][to]))
                .collect();
            let within = [&[folder.to_owned()], *level].concat().join("/");
            faults.push(format!("{within}: {}", steps.join(", ")));
        }
    }
    faults
}

/// Finds a shortest circle through each module, and returns each circle once.
fn circles<'a>(edges: &Edges<'a>) -> Vec<Vec<&'a str>> {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::new();
    for start in edges.keys() {
        if seen.contains(start) {
            continue;
        }
        if let Some(circle) = shortest(edges, start) {
            seen.extend(&circle);
            found.push(circle);
        }
    }
    found
}

fn shortest<'a>(edges: &Edges<'a>, start: &'a str) -> Option<Vec<&'a str>> {
    let mut paths = vec![vec![start]];
    let mut visited = BTreeSet::new();
    while !paths.is_empty() {
        let mut longer = Vec::new();
        for path in paths {
            let last = path.last()?;
            for next in edges.get(last).into_iter().flat_map(BTreeMap::keys) {
                if *next == start {
                    return Some(path);
                }
                if visited.insert(*next) {
                    longer.push([path.as_slice(), &[*next]].concat());
                }
            }
        }
        paths = longer;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_found_at_every_level() {
        let good = [
            import("a::x", "a", 1),
            import("a", "a::x", 2),
            import("b::x", "a::y", 3),
            import("b::y::deep", "b::x", 4),
        ];
        assert!(between_modules("crate", &good).is_empty());

        let bad = [
            import("a::x", "b", 1),
            import("b::z", "c", 2),
            import("c", "a::y", 3),
            import("d::x::deep", "d::y", 4),
            import("d::y", "d::x", 5),
        ];
        assert_eq!(
            between_modules("crate", &bad),
            [
                "crate: a imports b (f:1), b imports c (f:2), c imports a (f:3)",
                "crate/d: x imports y (f:4), y imports x (f:5)",
            ]
        );
    }

    fn import(from: &str, to: &str, line: usize) -> Import {
        let path = |text: &str| text.split("::").map(str::to_owned).collect();
        Import {
            place: format!("f:{line}"),
            from: path(from),
            to: path(to),
        }
    }
}
