//! Who may depend on whom.

use std::collections::BTreeSet;

use super::metadata::Package;

/// Which crates of ours each crate of ours may be built from; a product, only from [`FOR_A_PRODUCT`] and its family. The
/// facade may also be built from every product.
const ARROWS: &[(&str, &[&str])] = &[
    ("stead-derive", &[]),
    ("stead-core", &["stead-derive"]),
    ("stead-transport", &["stead-core"]),
    ("stead-store", &["stead-core"]),
    ("stead-testkit", &["stead-core"]),
    ("stead", &["stead-core", "stead-transport", "stead-store"]),
    ("stead-server", &["stead", "stead-core"]),
    (
        "stead-cli",
        &["stead", "stead-core", "stead-server", "stead-sandbox"],
    ),
    // The independent witness: it shares no code with what it judges.
    ("stead-sandbox", &[]),
    ("stead-stories", &[]),
    ("stead-test-postgres", &[]),
    // Of the products it reads the fixtures, and the binary's list of tools.
    ("stead-conformance", &["stead-testkit"]),
    // It meets the service as a binary only.
    ("stead-chaos", &["stead-test-postgres"]),
    (
        "stead-clients",
        &["stead", "stead-core", "stead-server", "stead-sandbox"],
    ),
    ("stead-docs", &["stead"]),
    ("xtask", &[]),
];
/// Of ours, what a product and a family of products are built from.
const FOR_A_PRODUCT: &[&str] = &["stead-core"];

/// The crates whose tests, too, are free of ours.
const WITHOUT_OURS: &[&str] = &["stead-sandbox", "xtask"];

/// Crates of others that are named in few of ours.
const PLACES: &[(&str, &[&str])] = &[
    ("reqwest", &["stead-transport"]),
    ("hyper-rustls", &["stead-transport"]),
    ("h2", &["stead-transport"]),
    ("sqlx", &["stead-store"]),
    ("oauth2", &["stead-core"]),
    ("chacha20poly1305", &["stead-core"]),
    ("ureq", &["stead-conformance"]),
    ("axum", &["stead-server", "stead-sandbox"]),
    ("rmcp", &["stead-server"]),
];

/// What a product does not name; a name that ends in `*` stands for all that begin so.
const NOT_BY_A_PRODUCT: &[&str] = &["tokio*", "futures*", "reqwest", "hyper*", "sqlx", "axum"];

/// What is not compiled for a product and its tests.
pub(crate) const NOT_IN_A_PRODUCT: &[&str] = &["reqwest", "sqlx*", "axum", "tokio"];

/// What is not compiled for a program that only calls a Stead service.
pub(crate) const NOT_IN_A_CLIENT: &[&str] =
    &["oauth2", "chacha20poly1305", "sqlx*", "axum", "jsonschema"];

/// Features of a program that only calls a Stead service, and how many crates it may compile at most, ours included.
pub(crate) const MOST_IN_A_CLIENT: &[(&str, usize)] = &[("client", 90), ("client,reqwest", 130)];

pub(crate) fn arrows(ours: &[Package]) -> Vec<String> {
    let mut faults = Vec::new();
    for package in ours {
        let allowed = if package.is_product() || package.is_family() {
            FOR_A_PRODUCT
        } else if let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == package.name) {
            allowed
        } else {
            faults.push(format!(
                "{} is not in the table ARROWS of xtask/src/tidy/dependencies.rs",
                package.name
            ));
            continue;
        };
        let without_ours = WITHOUT_OURS.contains(&package.name.as_str());
        for dependency in package
            .dependencies
            .iter()
            .filter(|dependency| without_ours || !dependency.dev)
        {
            let Some(of_ours) = ours.iter().find(|other| other.name == dependency.name) else {
                continue;
            };
            let facade = package.name == "stead" && of_ours.is_product();
            let family = of_ours.is_family_of(package);
            if !facade && !family && !allowed.contains(&of_ours.name.as_str()) {
                faults.push(format!("{} depends on {}", package.name, of_ours.name));
            }
        }
    }
    faults
}

pub(crate) fn products_are_pure(ours: &[Package]) -> Vec<String> {
    let products = ours
        .iter()
        .filter(|package| package.is_product() || package.is_family());
    products
        .flat_map(|product| {
            product
                .built_from()
                .map(move |one| (&product.name, &one.name))
        })
        .filter(|(_, name)| is_any(name, NOT_BY_A_PRODUCT))
        .map(|(product, name)| format!("{product} names {name}"))
        .collect()
}

pub(crate) fn named_in_one_place(ours: &[Package]) -> Vec<String> {
    let mut faults = Vec::new();
    for package in ours {
        for dependency in package.built_from() {
            let place = PLACES.iter().find(|(name, _)| *name == dependency.name);
            if let Some((name, places)) =
                place.filter(|(_, places)| !places.contains(&package.name.as_str()))
            {
                faults.push(format!(
                    "{} names {name}, which belongs to {}",
                    package.name,
                    places.join(", ")
                ));
            }
        }
    }
    faults
}

pub(crate) fn core_does_no_io(ours: &[Package]) -> Vec<String> {
    let mut faults = Vec::new();
    for dependency in ours
        .iter()
        .filter(|package| package.name == "stead-core")
        .flat_map(Package::built_from)
    {
        match dependency.name.as_str() {
            name @ ("reqwest" | "sqlx" | "axum" | "hyper" | "hyper-util" | "getrandom") => {
                faults.push(format!("stead-core names {name}"))
            }
            "tokio"
                if dependency.default_features
                    || dependency.features.iter().any(|feature| feature != "sync") =>
            {
                faults.push(format!(
                    "stead-core names tokio with {}, not only with sync",
                    dependency.features.join(", ")
                ));
            }
            _ => {}
        }
    }
    faults
}

/// Features unify: what we turn on changes how the maps of the user's own program behave.
pub(crate) fn serde_json_features(ours: &[Package]) -> Vec<String> {
    let mut faults = Vec::new();
    for package in ours {
        let json = package.dependencies.iter();
        let json = json.filter(|dependency| dependency.name == "serde_json");
        for feature in json.flat_map(|dependency| &dependency.features) {
            if feature == "preserve_order" || feature == "arbitrary_precision" {
                faults.push(format!("{} turns on serde_json/{feature}", package.name));
            }
        }
    }
    faults
}

/// Crates that stand in a tree as `cargo tree --prefix none` prints it, and should not.
pub(crate) fn absent(whose: &str, tree: &str, not: &[&str]) -> Vec<String> {
    let mut found: Vec<&str> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|name| is_any(name, not))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
        .into_iter()
        .map(|name| format!("{whose} compiles {name}"))
        .collect()
}

/// Says that a tree as `cargo tree --prefix none` prints it has more than `most` crates. Two versions of a crate are two.
pub(crate) fn too_many(whose: &str, tree: &str, most: usize) -> Option<String> {
    let crates: BTreeSet<(&str, &str)> = tree
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            words.next().zip(words.next())
        })
        .collect();
    (crates.len() > most).then(|| {
        let found = crates.len();
        format!("{whose} compiles {found} crates, at most {most} are allowed")
    })
}

fn is_any(name: &str, patterns: &[&str]) -> bool {
    patterns
        .iter()
        .any(|pattern| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == *pattern,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::metadata::Dependency;

    #[test]
    fn an_arrow_in_the_wrong_direction_is_found() {
        let product = |name: &str, dependencies: &[&str]| Package {
            folder: format!("crates/products/{name}"),
            ..package(name, dependencies)
        };
        let ours = [
            package("stead-core", &["serde", "dev stead-testkit"]),
            package("stead-testkit", &["stead-core"]),
            product("stead-mail", &["stead-core", "dev stead-testkit"]),
            product("stead-drive", &["stead-google", "stead-mail"]),
            product("stead-workspace", &["serde", "stead-google"]),
            Package {
                folder: "crates/products/google".to_owned(),
                ..package("stead-google", &["stead-core", "stead-mail"])
            },
            package("stead", &["stead-mail", "stead-server"]),
            package("stead-server", &["stead-testkit"]),
            package("stead-sandbox", &["serde", "dev stead-mail"]),
            package("stead-new", &[]),
        ];
        assert_eq!(
            arrows(&ours),
            [
                "stead-drive depends on stead-mail",
                "stead-workspace depends on stead-google",
                "stead-google depends on stead-mail",
                "stead depends on stead-server",
                "stead-server depends on stead-testkit",
                "stead-sandbox depends on stead-mail",
                "stead-new is not in the table ARROWS of xtask/src/tidy/dependencies.rs",
            ]
        );
    }

    #[test]
    fn a_product_with_a_runtime_is_found() {
        let mut mail = package("stead-mail", &["serde", "futures-util", "dev tokio"]);
        assert!(products_are_pure(&[mail.clone()]).is_empty());
        mail.folder = "crates/products/mail".to_owned();
        assert_eq!(
            products_are_pure(&[mail]),
            ["stead-mail names futures-util"]
        );
    }

    #[test]
    fn a_crate_out_of_its_place_is_found() {
        let ours = [
            package("stead-transport", &["reqwest"]),
            package("stead-sandbox", &["axum", "dev reqwest"]),
            package("stead-server", &["axum", "sqlx"]),
        ];
        assert_eq!(
            named_in_one_place(&ours),
            ["stead-server names sqlx, which belongs to stead-store"]
        );
    }

    #[test]
    fn input_and_output_in_core_are_found() {
        let mut core = package("stead-core", &["tokio", "sqlx"]);
        core.dependencies[0].features = vec!["sync".to_owned()];
        assert_eq!(core_does_no_io(&[core.clone()]), ["stead-core names sqlx"]);
        core.dependencies[0].features.push("net".to_owned());
        assert_eq!(
            core_does_no_io(&[core])[0],
            "stead-core names tokio with sync, net, not only with sync"
        );
    }

    #[test]
    fn a_feature_that_reaches_the_user_is_found() {
        let mut mail = package("stead-mail", &["dev serde_json"]);
        mail.dependencies[0].features = vec!["raw_value".to_owned(), "preserve_order".to_owned()];
        assert_eq!(
            serde_json_features(&[mail]),
            ["stead-mail turns on serde_json/preserve_order"]
        );
    }

    #[test]
    fn a_crate_in_a_tree_is_found_once() {
        let tree = "stead v0.1.0 (/top)\nsqlx-core v0.9.0\nserde v1.0.0\nsqlx-core v0.9.0 (*)\nreqwest-middleware v1.0.0\n";
        assert_eq!(
            absent("stead", tree, &["sqlx*", "reqwest"]),
            ["stead compiles sqlx-core"]
        );
    }

    #[test]
    fn a_tree_of_too_many_crates_is_found() {
        let tree = "stead v0.1.0 (/top)\nsyn v2.0.0\nsyn v3.0.0\nsyn v2.0.0 (*)\n";
        assert_eq!(too_many("stead", tree, 3), None);
        assert_eq!(
            too_many("stead", tree, 2).unwrap(),
            "stead compiles 3 crates, at most 2 are allowed"
        );
    }

    /// A dependency of the tests begins with `dev `.
    fn package(name: &str, dependencies: &[&str]) -> Package {
        let dependencies = dependencies.iter().map(|dependency| Dependency {
            name: dependency.trim_start_matches("dev ").to_owned(),
            dev: dependency.starts_with("dev "),
            ..Dependency::default()
        });
        Package {
            name: name.to_owned(),
            dependencies: dependencies.collect(),
            ..Package::default()
        }
    }
}
