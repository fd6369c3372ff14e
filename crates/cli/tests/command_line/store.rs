//! `stead store copy`, from a file into a file.

use std::path::Path;

use serde_json::Value;

use crate::{new_key, run, stead};

fn copy(directory: &Path, to: &str) -> (i32, String, String) {
    run(stead(directory).args([
        "store",
        "copy",
        "--from",
        "sqlite:stead.db",
        "--to",
        to,
        "--json",
    ]))
}

#[test]
fn a_copied_database_has_the_same_rows_and_key() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path();
    let key = new_key(folder);
    let connections = |database: &str, arguments: &[&str]| {
        let mut command = stead(folder);
        let command = command.env("STEAD_KEY", &key);
        let command = command.env("STEAD_DATABASE", folder.join(database));
        run(command.arg("connections").args(arguments))
    };
    let (code, _, said) = connections("stead.db", &["create", "mail", "--product", "mail"]);
    assert_eq!(code, 0, "{said}");

    let (code, out, said) = copy(folder, "sqlite:copy.db");
    assert_eq!(code, 0, "{said}");
    let copied: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(copied["to"], "copy.db");
    let tables = copied["tables"].as_array().unwrap();
    let of_connections = tables.iter().find(|table| table["table"] == "connection");
    assert_eq!(of_connections.unwrap()["rows"], 1);
    assert_eq!(
        of_connections.unwrap()["digest"].as_str().unwrap().len(),
        64
    );
    let shown = |database| connections(database, &["show", "mail", "--json"]).1;
    assert!(shown("copy.db").contains("\"mail\""));
    assert_eq!(shown("copy.db"), shown("stead.db"));

    let (code, _, said) = copy(folder, "sqlite:copy.db");
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("the target isn't empty"), "{said}");
    let (code, _, said) = copy(folder, "copy.db");
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("expected sqlite:FILE"), "{said}");
    let (code, _, said) = copy(folder, "postgres://me:hush@localhost/stead");
    assert_eq!(code, 2, "{said}");
    assert!(
        said.contains("STEAD_COPY_TO") && !said.contains("hush"),
        "{said}"
    );
}
