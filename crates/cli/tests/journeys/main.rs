//! `stead dev` as a newcomer uses it. The tests paste its output and the README's lines into bash and zsh. An
//! interactive zsh accepts no comments.

mod guides;
mod shell;

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use shell::{Dev, SHELLS, binary, fact, paste, printed_lines, shell_blocks, shells};

#[test]
fn the_lines_that_dev_prints_work_in_each_shell() {
    for shell in shells() {
        let folder = tempfile::tempdir().unwrap();
        let mut dev = Dev::start(folder.path(), &[]);
        let text = dev.welcome();
        // A terminal folds the line with the secret, and it's still pasted as one.
        for line in text.lines().filter(|line| !line.contains("_SECRET=stead_")) {
            assert!(line.chars().count() <= 80, "{} columns: {line}", line.len());
        }
        let lines = printed_lines(&text);
        assert!(
            lines
                .lines()
                .nth(2)
                .unwrap()
                .starts_with("  export STEAD_CLIENT_SECRET="),
            "{lines}"
        );
        assert!(!lines.contains('#') && !lines.contains('!'), "{lines}");
        let said = paste(shell, folder.path(), &lines);
        assert_eq!(dev.line(), "\n");
        assert_eq!(dev.line(), "you connected mail as ada@example.com\n");
        assert!(dev.line().starts_with("mail_fetch_mails ok "));
        assert!(dev.line().starts_with("proxy mail GET ok "));
        assert!(
            dev.line()
                .starts_with("drive_search_files authorization_required ")
        );
        for expected in [
            "Gmail is connected\n",
            "\"subject\":\"",
            "\"emailAddress\": \"ada@example.com\"",
            "/connect/",
            "drive_search_files",
        ] {
            assert!(said.contains(expected), "{}: {expected}: {said}", shell.0);
        }
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            0,
            "nothing is left behind"
        );
    }
}

#[test]
fn the_readmes_first_call_is_pasted_into_each_shell_as_written() {
    let blocks = shell_blocks(include_str!("../../../../README.md"));
    let first = blocks
        .iter()
        .find(|block| block.contains("$STEAD_CLIENT_ID"))
        .expect("the README has a first call");
    for shell in shells() {
        let folder = tempfile::tempdir().unwrap();
        let mut dev = Dev::start(folder.path(), &[]);
        let welcome = dev.welcome();
        let exports: String = printed_lines(&welcome)
            .lines()
            .filter(|line| line.starts_with("  export "))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(exports.lines().count(), 3, "{exports}");
        let said = paste(shell, folder.path(), &(exports + first));
        for expected in [
            "Lunch on Thursday?",
            "\"emailAddress\": \"ada@example.com\"",
        ] {
            assert!(said.contains(expected), "{}: {expected}: {said}", shell.0);
        }
    }
}

#[test]
fn shell_blocks_of_the_docs_work_in_an_interactive_zsh() {
    let mut pages = 0;
    for folder in ["start", "build", "recipes", "run"] {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        for page in fs::read_dir(docs.join(folder)).unwrap() {
            let path = page.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            for block in shell_blocks(&text) {
                let name = path.display();
                assert!(!block.contains(" # "), "{name}: a comment: {block}");
                let quotes = block.matches('\'').count();
                assert!(quotes.is_multiple_of(2), "{name}: an open quote: {block}");
            }
            pages += 1;
        }
    }
    assert!(pages > 20, "{pages} pages");
}

#[test]
fn dev_prints_json_lines_for_programs_and_nothing_when_quiet() {
    let folder = tempfile::tempdir().unwrap();
    let mut dev = Dev::start(folder.path(), &["--json"]);
    let facts: Value = serde_json::from_str(&dev.line()).unwrap();
    let call = |facts: &Value| {
        let mut command = Command::new(binary());
        for (option, name) in [
            ("URL", "url"),
            ("CLIENT_ID", "client_id"),
            ("CLIENT_SECRET", "client_secret"),
        ] {
            command.env(format!("STEAD_{option}"), facts[name].as_str().unwrap());
        }
        command.args([
            "call",
            "mail_list_drafts",
            "--connection",
            "mail",
            "--identifier",
            "you",
        ]);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        // The user isn't connected yet, so the error contains a link.
        let link = format!(
            "  link             {}/connect/",
            facts["url"].as_str().unwrap()
        );
        assert!(said.contains(&link), "{said}");
    };
    call(&facts);
    let mut event = Value::Null;
    while event["event"] != "call" {
        event = serde_json::from_str(&dev.line()).unwrap();
    }
    assert_eq!(
        (
            event["event"].as_str(),
            event["tool"].as_str(),
            event["outcome"].as_str()
        ),
        (
            Some("call"),
            Some("mail_list_drafts"),
            Some("authorization_required")
        ),
        "{event}"
    );
    assert!(event["milliseconds"].is_number(), "{event}");

    let mut quiet = Dev::start(folder.path(), &["--json", "--quiet"]);
    let facts: Value = serde_json::from_str(&quiet.line()).unwrap();
    call(&facts);
    quiet.child.kill().unwrap();
    assert_eq!(quiet.line(), "", "--quiet prints only the facts");
}

#[test]
fn the_dashboard_that_dev_prints_first_has_something_to_try_and_to_show() {
    let folder = tempfile::tempdir().unwrap();
    let mut dev = Dev::start(folder.path(), &[]);
    let dashboard = format!("http{}", fact(&dev.welcome(), "http"));
    assert!(dashboard.ends_with("/dashboard"), "{dashboard}");
    let page = |path: &str| {
        paste(
            SHELLS[0],
            folder.path(),
            &format!("curl -s {dashboard}{path}"),
        )
    };
    let home = page("");
    assert_eq!(home.matches("/run\"").count(), 6, "{home}");
    for user in ["ada", "user-1"] {
        let accounts = page(&format!("/accounts?identifier={user}"));
        let active = accounts.matches(">Active</span>").count();
        assert_eq!(active, 6, "{user}: {accounts}");
    }
}

#[test]
fn the_consent_page_lists_permissions_and_the_last_page_names_the_account() {
    let folder = tempfile::tempdir().unwrap();
    let mut dev = Dev::start(folder.path(), &[]);
    let welcome = dev.welcome();
    let lines = printed_lines(&welcome);
    let (consent, _) = lines.split_once("  rm -f").unwrap();
    let consent = consent.replace(r#"| grep -o "[A-Za-z]* is connected" | head -1"#, "");
    let page = paste(SHELLS[0], folder.path(), &consent);
    assert!(
        page.contains("Account: <strong>ada@example.com</strong>"),
        "{page}"
    );
    let (variables, _) = lines.split_once("  pick()").unwrap();
    for (product, words) in [
        ("warehouse", "Run any SQL statement that your role allows"),
        ("workspace", "Read the pages and databases that you choose"),
        ("mail", "Read your emails"),
    ] {
        let open = format!(
            "{variables}curl -s $(stead connect {product} you --quiet)\ncurl -s $STEAD_URL/icon.svg"
        );
        let page = paste(SHELLS[0], folder.path(), &open);
        assert!(page.contains(words), "{product}: {page}");
        assert!(page.contains("The link works for "), "{page}");
        assert!(page.contains(" more minutes."), "{page}");
        assert!(page.contains("<svg"), "{page}");
    }
}

#[test]
fn dev_with_a_folder_keeps_variables_and_account_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut dev = Dev::start(folder.path(), &["--data", "kept"]);
    let before = dev.welcome();
    let lines = printed_lines(&before);
    let (connect, _) = lines.split_once("  stead connect").unwrap();
    let said = paste(SHELLS[0], folder.path(), connect);
    assert!(said.contains("Gmail is connected\n"), "{said}");
    // `dev` prints this line after it has stored the sandbox's grants.
    while !dev.line().starts_with("proxy mail GET ok") {}
    let accounts = |commands: &str| {
        let variables = format!(
            "export STEAD_URL={} STEAD_CLIENT_ID={} STEAD_CLIENT_SECRET={}\n",
            fact(&before, "service"),
            fact(&before, "export STEAD_CLIENT_ID="),
            fact(&before, "export STEAD_CLIENT_SECRET="),
        );
        paste(SHELLS[0], folder.path(), &format!("{variables}{commands}"))
    };
    let said = accounts(
        "stead accounts list --state active --connection mail\nstead accounts suspend mail you\nstead accounts resume mail you\n\
         stead accounts refresh mail you\nstead accounts show mail you\n",
    );
    for line in [
        "mail        mail     active  you",
        "  state       suspended",
        "  state       active",
        "  health      ok",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    drop(dev);

    let [service, sandbox] =
        ["service", "sandbox"].map(|name| fact(&before, name).replace("http://", ""));
    let mut dev = Dev::start_at([&service, &sandbox], folder.path(), &["--data", "kept"]);
    let after = dev.welcome();
    for name in ["export STEAD_CLIENT_ID=", "export STEAD_CLIENT_SECRET="] {
        assert_eq!(fact(&after, name), fact(&before, name));
    }
    // All access tokens have expired, so the calls only succeed if the grant was kept.
    let (variables, rest) = lines.split_once("  LINK=").unwrap();
    let (_, subjects) = rest.split_once("  rm -f $JAR\n").unwrap();
    let (subjects, _) = subjects.split_once("  curl").unwrap();
    let expire = "curl -s $SANDBOX/sandbox/faults -d '{\"kind\":\"expire_access_tokens\"}'\n";
    let said = paste(
        SHELLS[0],
        folder.path(),
        &format!("{variables}{expire}{subjects}"),
    );
    assert!(said.contains("\"subject\":\""), "{said}");
    assert!(
        dev.line().starts_with('\n') && dev.line().starts_with("mail_fetch_mails ok"),
        "{said}"
    );

    drop(dev);
    let listed = || {
        let command =
            "stead credentials list --json --database kept/stead.db --key-file kept/stead.key\n";
        let said = paste(SHELLS[0], folder.path(), command);
        let line = said.lines().find(|line| line.starts_with('['));
        let listed = serde_json::from_str::<Vec<Value>>(line.unwrap()).unwrap();
        let ids = listed
            .iter()
            .map(|one| one["client_id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(listed(), [fact(&before, "export STEAD_CLIENT_ID=")]);
    // A credential whose secret was lost is revoked.
    fs::remove_file(folder.path().join("kept/client.json")).unwrap();
    let mut dev = Dev::start(folder.path(), &["--data", "kept"]);
    let last = dev.welcome();
    drop(dev);
    assert_eq!(listed(), [fact(&last, "export STEAD_CLIENT_ID=")]);
    assert_ne!(
        fact(&last, "export STEAD_CLIENT_ID="),
        fact(&before, "export STEAD_CLIENT_ID=")
    );

    #[cfg(unix)]
    for file in fs::read_dir(folder.path().join("kept")).unwrap() {
        use std::os::unix::fs::PermissionsExt as _;
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{:?} is for its owner", file.file_name());
    }
}

#[test]
fn shell_blocks_of_a_markdown_file_are_found() {
    let file = "a\n```sh\none\ntwo\n```\n```\nother\n```\n\n```sh\nthree\n```\n";
    assert_eq!(shell_blocks(file), ["one\ntwo", "three"]);
}
