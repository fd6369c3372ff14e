//! The workspace as `cargo metadata` tells it.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::shell;

/// Our crates, and the licences of those of others.
pub(crate) struct Metadata {
    pub(crate) ours: Vec<Package>,
    /// Name and licence of each crate of others.
    pub(crate) licences: BTreeSet<(String, String)>,
}

/// A crate of ours.
#[derive(Debug, Clone, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// Its folder, from the top of the workspace.
    pub(crate) folder: String,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A line of a crate's manifest.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Needed only by tests and examples.
    pub(crate) dev: bool,
    pub(crate) default_features: bool,
    pub(crate) features: Vec<String>,
}

impl Metadata {
    pub(crate) fn read() -> Result<Self> {
        let text = shell::output("cargo metadata --locked --all-features --format-version 1")?;
        let value: Value =
            serde_json::from_str(&text).context("cargo metadata prints other than JSON")?;
        let root = format!("{}/", shell::root().display());
        let (ours, others): (Vec<_>, Vec<_>) = array(&value["packages"])
            .iter()
            .partition(|package| package["source"].is_null());
        let ours: Vec<_> = ours
            .into_iter()
            .map(|package| Package::from_json(package, &root))
            .collect();
        if !ours.iter().any(Package::is_product) {
            bail!("there is no product under {root}crates/products: the rules would judge nothing");
        }
        let licences = others
            .into_iter()
            .map(|package| (string(&package["name"]), string(&package["license"])));
        Ok(Self {
            ours,
            licences: licences.collect(),
        })
    }
}

/// Crates that several products of one company share, and these products.
const FAMILIES: &[(&str, &[&str])] = &[(
    "stead-google",
    &[
        "stead-mail",
        "stead-calendar",
        "stead-drive",
        "stead-sheets",
    ],
)];

impl Package {
    fn from_json(package: &Value, root: &str) -> Self {
        let local = |path: &Value| string(path).trim_start_matches(root).to_owned();
        Self {
            name: string(&package["name"]),
            folder: local(&package["manifest_path"])
                .trim_end_matches("/Cargo.toml")
                .to_owned(),
            dependencies: array(&package["dependencies"])
                .iter()
                .map(Dependency::from_json)
                .collect(),
        }
    }

    /// Whether this is the crate of one product.
    pub(crate) fn is_product(&self) -> bool {
        self.folder.starts_with("crates/products/") && !self.is_family()
    }

    /// Whether this is what several products of one company share.
    pub(crate) fn is_family(&self) -> bool {
        FAMILIES.iter().any(|(name, _)| *name == self.name)
    }

    /// Whether this is what `product` shares with others of its company.
    pub(crate) fn is_family_of(&self, product: &Self) -> bool {
        FAMILIES
            .iter()
            .any(|(name, products)| *name == self.name && products.contains(&product.name.as_str()))
    }

    /// What its library or binary is built from.
    pub(crate) fn built_from(&self) -> impl Iterator<Item = &Dependency> {
        self.dependencies
            .iter()
            .filter(|dependency| !dependency.dev)
    }
}

impl Dependency {
    fn from_json(dependency: &Value) -> Self {
        Self {
            name: string(&dependency["name"]),
            dev: dependency["kind"] == "dev",
            default_features: dependency["uses_default_features"] == true,
            features: array(&dependency["features"]).iter().map(string).collect(),
        }
    }
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_read() {
        let value = serde_json::json!({
            "name": "stead-mail",
            "manifest_path": "/top/crates/products/mail/Cargo.toml",
            "dependencies": [
                { "name": "stead-core", "kind": null, "uses_default_features": false, "features": [] },
                { "name": "insta", "kind": "dev", "uses_default_features": true, "features": ["json"] },
            ],
        });
        let package = Package::from_json(&value, "/top/");

        assert_eq!(package.folder, "crates/products/mail");
        assert!(package.is_product());
        assert_eq!(
            package
                .built_from()
                .map(|dependency| dependency.name.as_str())
                .collect::<Vec<_>>(),
            ["stead-core"]
        );
        assert!(package.dependencies[1].dev && package.dependencies[1].default_features);
        assert_eq!(package.dependencies[1].features, ["json"]);
    }
}
