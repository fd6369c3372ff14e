//! Runs the shell blocks of the operators' guides as printed, one after the other, in each shell.
#![cfg(unix)]

use std::{fs, path::Path, process::Command};

use super::shell::{path, shell_blocks, shells};

/// A key and a database, which the pages expect.
const BEGIN: &str = "umask 077\nstead keys generate > stead.key\n\
    export STEAD_KEY_FILE=stead.key STEAD_DATABASE=stead.db STEAD_PUBLIC_URL=https://stead.example.com\n\
    stead credentials create --name app --quiet\n";

/// A shell with a script that ends at the first command that fails.
fn command(shell: &str, folder: &Path, script: &str) -> Command {
    let mut command = Command::new(shell);
    if shell == "zsh" {
        command.arg("-f");
    }
    command
        .args(["-e", "-c", script])
        .current_dir(folder)
        .env_clear()
        .env("PATH", path());
    command
}

/// What a script prints; it has to succeed.
fn run(shell: &str, folder: &Path, script: &str) -> String {
    let output = command(shell, folder, script)
        .output()
        .expect("the shell starts");
    let [out, said] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{shell}: {script}\n{out}\n{said}");
    out
}

#[test]
fn the_commands_for_backup_and_upgrade() {
    let backup = shell_blocks(include_str!("../../../../docs/run/backup.md"));
    let monitoring = shell_blocks(include_str!("../../../../docs/run/monitoring.md"));
    let upgrade = shell_blocks(include_str!("../../../../docs/run/upgrade.md"));
    assert!(backup.len() >= 2 && !upgrade.is_empty());
    let blocks = [&[BEGIN][..], &backup, &monitoring, &upgrade].concat();
    for (shell, _) in shells() {
        let folder = tempfile::tempdir().unwrap();
        let out = run(shell, folder.path(), &blocks.join("\n"));
        assert!(
            out.contains("an older copy of the database was restored"),
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
}

#[test]
fn the_commands_for_credentials() {
    let blocks = shell_blocks(include_str!("../../../../docs/run/credentials.md"));
    assert!(blocks.len() >= 2, "{blocks:?}");
    let blocks = [&[BEGIN][..], &blocks].concat();
    for (shell, _) in shells() {
        let folder = tempfile::tempdir().unwrap();
        let out = run(shell, folder.path(), &blocks.join("\n"));
        for expected in [
            "STEAD_CLIENT_ID=app_",
            "STEAD_CLIENT_SECRET=stead_secret_",
            "Revoked app_",
        ] {
            assert!(out.contains(expected), "{shell}: {expected}: {out}");
        }
    }
}

/// As printed but for the minute that a key waits, and the operator's own program.
#[test]
fn the_commands_for_keys() {
    let blocks = shell_blocks(include_str!("../../../../docs/run/keys.md"));
    assert!(blocks.len() >= 6, "{blocks:?}");
    for (shell, _) in shells() {
        let folder = tempfile::tempdir().unwrap();
        let program = "#!/bin/sh\ncat stead.key\n";
        let file = folder.path().join("stead-key");
        fs::write(&file, program).unwrap();
        run(shell, folder.path(), "chmod +x stead-key");
        let script = BEGIN.to_owned() + &blocks.join("\n");
        let script = script
            .replace("stead keys rotate", "stead keys rotate --now")
            .replace("stead keys activate", "stead keys activate --now")
            .replace("/usr/local/bin/stead-key", &file.display().to_string())
            .replace("stead serve", "stead keys list");
        let out = run(shell, folder.path(), &script);
        let ring = fs::read_to_string(folder.path().join("stead.key")).unwrap();
        let newest = ring.split(['=', ':']).nth(1).unwrap();
        let (_, last) = out.rsplit_once("DATA KEY").unwrap();
        let active = last.lines().find(|line| line.contains(" active "));
        assert!(active.unwrap().contains(newest), "{out}");
        assert_eq!(out.matches(" is retired").count(), 2, "{out}");
    }
}
