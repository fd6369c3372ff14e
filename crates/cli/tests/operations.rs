//! The commands of `docs/guide/operations.md`, run as printed, one block after the other.
#![cfg(unix)]

use std::{env, path::Path, process::Command};

const GUIDE: &str = include_str!("../../../docs/guide/operations.md");

#[test]
fn the_commands_of_the_guide_to_operations_run_as_printed() {
    let blocks: Vec<&str> = GUIDE
        .split("```sh\n")
        .skip(1)
        .filter_map(|block| Some(block.split_once("```")?.0))
        .collect();
    assert!(blocks.len() >= 6, "{blocks:?}");
    let folder = tempfile::tempdir().unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_stead")).parent().unwrap();
    let path = env::var_os("PATH").unwrap_or_default();
    let paths = [binary.to_owned()]
        .into_iter()
        .chain(env::split_paths(&path));
    let output = Command::new("bash")
        .args(["-e", "-c", &blocks.concat()])
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", env::join_paths(paths).unwrap())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, said) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}\n{said}");
    assert!(
        out.contains("an older copy of the database was put back"),
        "{out}"
    );
    for file in [
        "stead.db",
        "stead-broken.db",
        "before-upgrade.db",
        "stead.key",
    ] {
        assert!(folder.path().join(file).exists(), "{file}");
    }
}
