//! Products by their well-known names, and the output for a new connection.

use serde_json::Value;

use super::{new_key, run, stead};

#[test]
fn a_product_may_be_called_by_its_title() {
    let directory = tempfile::tempdir().unwrap();
    let key = new_key(directory.path());
    let stead = |args: &[&str]| run(stead(directory.path()).env("STEAD_KEY", &key).args(args));
    let create = ["connections", "create", "post", "--product", "Gmail"];
    let (code, out, said) = stead(&create);
    assert_eq!(code, 0, "{said}");
    // The redirect URI is in a few lines, and not between pages of Markdown.
    assert_eq!(out.lines().count(), 4, "{out}");
    assert!(
        out.contains("redirect URI  http://127.0.0.1:8484/sso/v1/oauth/conn_"),
        "{out}"
    );
    assert!(
        out.contains("http://127.0.0.1:8484/dashboard/connections/post"),
        "{out}"
    );
    let (_, out, _) = stead(&["connections", "show", "post"]);
    assert!(
        out.contains("Set-up") && !out.contains("**") && !out.contains("|--"),
        "{out}"
    );
    let (_, out, _) = stead(&["connections", "list", "--json"]);
    assert!(out.contains("\"product\":\"mail\""), "{out}");
    let all: Value = serde_json::from_str(&out).unwrap();
    let made = all[0]["created_at"].as_str().unwrap();
    assert!(made.len() <= "2026-11-26T10:00:00.000Z".len(), "{made}");
    let (code, out, said) = stead(&["tools", "--product", "notion"]);
    assert!(code == 0 && out.contains("workspace_"), "{said}");
    for args in [
        ["connections", "create", "other", "--product", "gmial"].as_slice(),
        &["tools", "--product", "gmial"],
    ] {
        let (code, _, said) = stead(args);
        assert_eq!(code, 4, "{said}");
        assert!(said.contains("did you mean mail (Gmail)?"), "{said}");
    }
    let (code, out, said) = stead(&["connect", "post", "ada"]);
    assert_eq!(code, 4, "{out}{said}");
    for noise in ["meaning", "its JSON, a parameter or a value"] {
        assert!(!said.contains(noise), "{said}");
    }
}
