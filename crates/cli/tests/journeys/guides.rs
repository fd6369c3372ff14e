//! The shell blocks of the guides to the operator's work, run as printed, one after the other, in each shell.
#![cfg(unix)]

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
};

use super::shell::{Dev, fact, paste, path, printed_lines, shell_blocks, shells};

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

/// The lines that a script which goes on and on has printed up to one that has this text. `meanwhile` is done again and
/// again until then.
fn run_until(
    shell: &str,
    folder: &Path,
    script: &str,
    expected: &'static str,
    meanwhile: impl Fn(),
) -> String {
    struct Running(Child);
    impl Drop for Running {
        fn drop(&mut self) {
            // It may be gone already.
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
    let child = command(shell, folder, script)
        .stdout(Stdio::piped())
        .spawn();
    let mut running = Running(child.expect("the shell starts"));
    let out = BufReader::new(running.0.stdout.take().expect("its output"));
    let reading = thread::spawn(move || {
        let mut lines = Vec::new();
        for line in out.lines().map_while(Result::ok) {
            lines.push(line);
            if lines.last().is_some_and(|line| line.contains(expected)) {
                return lines.join("\n");
            }
        }
        panic!("it ended without {expected}: {lines:?}");
    });
    for _ in 0..500 {
        if reading.is_finished() {
            break;
        }
        meanwhile();
    }
    assert!(reading.is_finished(), "{shell}: {expected} never comes");
    reading.join().expect("what is expected")
}

#[test]
fn the_commands_of_the_guide_to_operations() {
    let blocks = shell_blocks(include_str!("../../../../docs/guide/operations.md"));
    assert!(blocks.len() >= 6, "{blocks:?}");
    for (shell, _) in shells() {
        let folder = tempfile::tempdir().unwrap();
        let out = run(shell, folder.path(), &blocks.join("\n"));
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
}

#[test]
fn the_commands_of_the_guide_to_credentials() {
    let blocks = shell_blocks(include_str!("../../../../docs/guide/credentials.md"));
    assert!(blocks.len() >= 2, "{blocks:?}");
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
fn the_commands_of_the_guide_to_keys() {
    let blocks = shell_blocks(include_str!("../../../../docs/guide/keys.md"));
    assert!(blocks.len() >= 6, "{blocks:?}");
    for (shell, _) in shells() {
        let folder = tempfile::tempdir().unwrap();
        let begin = "umask 077\nstead keys generate > stead.key\n\
            export STEAD_KEY_FILE=stead.key STEAD_DATABASE=stead.db\n\
            stead credentials create --name app --quiet\n";
        let program = "#!/bin/sh\ncat stead.key\n";
        let file = folder.path().join("stead-key");
        fs::write(&file, program).unwrap();
        run(shell, folder.path(), "chmod +x stead-key");
        let script = begin.to_owned() + &blocks.join("\n");
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

#[test]
fn the_commands_of_the_guide_to_webhooks() {
    let blocks = shell_blocks(include_str!("../../../../docs/guide/webhooks.md"));
    assert!(!blocks.is_empty());
    for (shell, _) in shells() {
        let folder = tempfile::tempdir().unwrap();
        let begin = "umask 077\nexport \"$(stead keys generate)\" STEAD_DATABASE=stead.db\n\
            stead credentials create --name app --quiet\n";
        let out = run(
            shell,
            folder.path(),
            &(begin.to_owned() + &blocks.join("\n")),
        );
        for expected in ["hook_", "whsec_"] {
            assert!(out.contains(expected), "{shell}: {expected}: {out}");
        }
    }
}

#[test]
fn the_commands_of_the_guide_to_events() {
    let blocks = shell_blocks(include_str!("../../../../docs/guide/events.md"));
    let [token, page, wait, stream, follow, history] = blocks[..] else {
        panic!("{blocks:?}");
    };
    for (shell, arguments) in shells() {
        let folder = tempfile::tempdir().unwrap();
        let mut dev = Dev::start(folder.path(), &[]);
        let welcome = dev.welcome();
        paste((shell, arguments), folder.path(), &printed_lines(&welcome));
        let begin = format!(
            "export STEAD_URL={} STEAD_CLIENT_ID={} STEAD_CLIENT_SECRET={}\n",
            fact(&welcome, "service"),
            fact(&welcome, "CLIENT_ID="),
            fact(&welcome, "CLIENT_SECRET="),
        );
        let script = |block: &str| format!("{begin}{token}\n{block}");
        let out = run(shell, folder.path(), &script(page));
        assert!(out.contains(r#""type":"connection.created""#), "{out}");

        let change = || {
            let both = format!(
                "{begin}stead accounts suspend mail you --quiet\nstead accounts resume mail you --quiet"
            );
            run(shell, folder.path(), &both);
        };
        for (block, expected) in [
            (wait, r#""type":"account."#),
            (stream, "event: account."),
            (follow, "account.resumed"),
        ] {
            run_until(shell, folder.path(), &script(block), expected, change);
        }
        let out = run(shell, folder.path(), &script(history));
        assert!(out.contains("mail_fetch_mails"), "{out}");
    }
}
