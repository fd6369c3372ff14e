//! `stead dev` as a newcomer uses it: what it prints and what the README says is pasted into bash and into zsh, which
//! takes no comments when it is interactive.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use serde_json::Value;

/// The shells into which people paste, each without their own settings.
const SHELLS: [(&str, &[&str]); 2] = [
    ("bash", &["--norc", "--noprofile", "-i"]),
    ("zsh", &["-f", "-i"]),
];

/// Those that are installed; `cargo xtask shells` says which are not. bash is there wherever the tests run.
fn shells() -> Vec<(&'static str, &'static [&'static str])> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_installed =
        |shell: &str| std::env::split_paths(&path).any(|folder| folder.join(shell).is_file());
    SHELLS
        .into_iter()
        .filter(|(shell, _)| *shell == "bash" || is_installed(shell))
        .collect()
}

fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_stead"))
}

/// The search path of this machine, with the binary's folder first.
fn path() -> String {
    let folder = binary().parent().expect("a folder").display();
    format!(
        "{folder}:{}",
        std::env::var_os("PATH").unwrap_or_default().display()
    )
}

/// `stead dev` on free ports, which ends with the test.
struct Dev {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Dev {
    fn start(folder: &Path, args: &[&str]) -> Self {
        Self::start_at(["127.0.0.1:0", "127.0.0.1:0"], folder, args)
    }

    /// On the addresses of service and sandbox.
    fn start_at([service, sandbox]: [&str; 2], folder: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(binary())
            .args(["dev", "--listen", service, "--sandbox-listen", sandbox])
            .args(args)
            .current_dir(folder)
            .env_clear()
            .env("PATH", path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let out = BufReader::new(child.stdout.take().expect("its output"));
        Self { child, out }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("text");
        line
    }

    /// What it prints before it waits.
    fn welcome(&mut self) -> String {
        let mut text = String::new();
        loop {
            let line = self.line();
            assert!(!line.is_empty(), "dev ended: {text}");
            text.push_str(&line);
            if line.starts_with("Stop with Ctrl-C") {
                return text;
            }
        }
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What an interactive shell prints when `lines` are pasted into it.
fn paste((shell, arguments): (&str, &[&str]), folder: &Path, lines: &str) -> String {
    let mut child = Command::new(shell)
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("PATH", path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("{shell} cannot be started ({error}); `cargo xtask shells` installs it")
        });
    let mut input = child.stdin.take().expect("its input");
    // Fewer bytes than a pipe holds, so that this does not wait for the shell.
    input.write_all(lines.as_bytes()).expect("it reads");
    input
        .write_all(b"\necho the last line\n")
        .expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    for trouble in ["not found", "parse error", "syntax error", "no matches"] {
        assert!(
            !complaints.contains(trouble),
            "{shell}: {complaints}\n{said}"
        );
    }
    // An open quote would take the rest.
    assert!(
        said.ends_with("the last line\n"),
        "{shell}: {complaints}\n{said}"
    );
    said
}

/// The lines that `dev` sets apart to be pasted: those that are indented, after the one that begins so.
fn printed_lines(welcome: &str) -> String {
    let from = welcome.find("  CLIENT_ID=").expect("CLIENT_ID comes first");
    welcome[from..]
        .lines()
        .filter(|line| line.starts_with("  "))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// The blocks of a Markdown file that are marked as `sh`.
fn shell_blocks(markdown: &str) -> Vec<&str> {
    markdown
        .split("\n```sh\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("\n```"))
        .map(|(block, _)| block)
        .collect()
}

fn fact(welcome: &str, name: &str) -> String {
    let line = welcome
        .lines()
        .find_map(|line| line.trim().strip_prefix(name));
    line.unwrap_or_else(|| panic!("{name}: {welcome}"))
        .trim()
        .to_owned()
}

#[test]
fn what_dev_prints_is_pasted_into_each_shell_and_ends_with_subjects() {
    for shell in shells() {
        let folder = tempfile::tempdir().unwrap();
        let mut dev = Dev::start(folder.path(), &[]);
        let text = dev.welcome();
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{} columns: {line}", line.len());
        }
        let lines = printed_lines(&text);
        assert!(
            lines
                .lines()
                .nth(1)
                .unwrap()
                .starts_with("  CLIENT_SECRET="),
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
fn a_call_for_a_user_who_never_came_prints_the_link_to_show() {
    let folder = tempfile::tempdir().unwrap();
    let mut dev = Dev::start(folder.path(), &[]);
    let welcome = dev.welcome();
    let service = fact(&welcome, "service");
    let called = Command::new(binary())
        .args([
            "call",
            "mail_list_drafts",
            "--connection",
            "mail",
            "--identifier",
            "grace",
        ])
        .current_dir(folder.path())
        .env_clear()
        .env("STEAD_URL", &service)
        .env("STEAD_CLIENT_ID", fact(&welcome, "CLIENT_ID="))
        .env("STEAD_CLIENT_SECRET", fact(&welcome, "CLIENT_SECRET="))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&called.stderr);
    assert!(!called.status.success(), "{said}");
    for expected in ["authorization_required", &format!("{service}/connect/")] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn the_readmes_journey_is_pasted_into_each_shell_as_written() {
    let readme = include_str!("../../../README.md");
    let journeys: Vec<&str> = shell_blocks(readme)
        .into_iter()
        .filter(|block| block.contains("$CLIENT_ID"))
        .collect();
    assert!(!journeys.is_empty(), "the README has a journey");
    for shell in shells() {
        let folder = tempfile::tempdir().unwrap();
        let mut dev = Dev::start(folder.path(), &[]);
        let welcome = dev.welcome();
        let secrets = ["CLIENT_ID=", "CLIENT_SECRET="]
            .map(|name| format!("{name}{}\n", fact(&welcome, name)));
        let lines = (secrets.concat() + &journeys.join("\n"))
            .replace("http://127.0.0.1:8484", &fact(&welcome, "service"))
            .replace("http://127.0.0.1:8485", &fact(&welcome, "sandbox"));
        let said = paste(shell, folder.path(), &lines);
        for expected in ["Gmail is connected\n", "\"subject\":\""] {
            assert!(said.contains(expected), "{}: {expected}: {said}", shell.0);
        }
        assert_eq!(
            said.matches("ada@example.com").count(),
            2,
            "both proxy forms answer: {said}"
        );
    }
}

#[test]
fn no_block_of_a_guide_has_what_an_interactive_zsh_does_not_take() {
    let guides = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
    for guide in fs::read_dir(guides).unwrap() {
        let path = guide.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for block in shell_blocks(&text) {
            let name = path.display();
            assert!(!block.contains(" # "), "{name}: a comment: {block}");
            let quotes = block.matches('\'').count();
            assert!(quotes.is_multiple_of(2), "{name}: an open quote: {block}");
        }
    }
}

#[test]
fn the_readmes_way_to_production_is_pasted_into_each_shell_as_written() {
    let blocks = shell_blocks(include_str!("../../../README.md"));
    let production = blocks
        .iter()
        .find(|block| block.contains("stead serve"))
        .expect("the README goes to production");
    for shell in shells() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("mail-secret"), "the client's secret").unwrap();
        // The last line would serve until it is stopped.
        let lines = production.replace("stead serve", "stead connections list");
        let said = paste(
            shell,
            folder.path(),
            &format!("MAIL_CLIENT_ID=the-client\n{lines}"),
        );
        for expected in ["https://stead.example.com/sso/v1/oauth/conn_", "ready"] {
            assert!(said.contains(expected), "{}: {expected}: {said}", shell.0);
        }
        assert!(folder.path().join("stead.db").exists());
    }
}

#[test]
fn for_programs_dev_prints_an_object_a_line_while_it_runs_and_nothing_when_quiet() {
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
        // The user has not connected yet: the link is made at once.
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
    let dashboard = fact(&dev.welcome(), "dashboard");
    let page = |path: &str| {
        paste(
            SHELLS[0],
            folder.path(),
            &format!("curl -s {dashboard}{path}"),
        )
    };
    let home = page("");
    assert_eq!(home.matches("Connect as Ada").count(), 6, "{home}");
    let accounts = page("/accounts?identifier=sample-user");
    assert_eq!(
        accounts.matches("grace@example.com</span>").count(),
        3,
        "{accounts}"
    );
}

#[test]
fn the_page_of_a_link_says_what_an_application_can_do_and_the_last_one_names_the_account() {
    let folder = tempfile::tempdir().unwrap();
    let mut dev = Dev::start(folder.path(), &[]);
    let welcome = dev.welcome();
    let lines = printed_lines(&welcome);
    let (consent, _) = lines.split_once("  rm -f").unwrap();
    let consent = consent.replace(r#"| grep -o "[A-Za-z]* is connected" | head -1"#, "");
    let page = paste(SHELLS[0], folder.path(), &consent);
    assert!(page.contains("The account is ada@example.com."), "{page}");
    let (variables, _) = lines.split_once("  pick()").unwrap();
    for (product, words) in [
        ("warehouse", "Run any SQL that your role allows"),
        ("workspace", "Read the pages and databases that you choose"),
        ("mail", "Read your mails"),
    ] {
        let open = format!(
            "{variables}export STEAD_URL=$STEAD STEAD_CLIENT_ID=$CLIENT_ID STEAD_CLIENT_SECRET=$CLIENT_SECRET\n\
             curl -s $(stead connect {product} you --quiet)\ncurl -s $STEAD/icon.svg"
        );
        let page = paste(SHELLS[0], folder.path(), &open);
        assert!(page.contains(words), "{product}: {page}");
        assert!(page.contains("It works for <time"), "{page}");
        assert!(page.contains("more minutes</time>"), "{page}");
        assert!(page.contains("<svg"), "{page}");
    }
}

#[test]
fn with_a_folder_the_same_variables_and_the_same_account_work_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut dev = Dev::start(folder.path(), &["--data", "kept"]);
    let before = dev.welcome();
    let lines = printed_lines(&before);
    let (connect, _) = lines.split_once("  export STEAD_URL").unwrap();
    let said = paste(SHELLS[0], folder.path(), connect);
    assert!(said.contains("Gmail is connected\n"), "{said}");
    // The lines below come after the sandbox's grants were kept.
    while !dev.line().starts_with("proxy mail GET ok") {}
    let accounts = |commands: &str| {
        let variables = format!(
            "export STEAD_URL={} STEAD_CLIENT_ID={} STEAD_CLIENT_SECRET={}\n",
            fact(&before, "service"),
            fact(&before, "CLIENT_ID="),
            fact(&before, "CLIENT_SECRET="),
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
    for name in ["CLIENT_ID=", "CLIENT_SECRET="] {
        assert_eq!(fact(&after, name), fact(&before, name));
    }
    // Every access token has expired meanwhile: only a grant that is still there gives a new one.
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
    assert_eq!(listed(), [fact(&before, "CLIENT_ID=")]);
    // Whose secret is lost is taken back.
    fs::remove_file(folder.path().join("kept/client.json")).unwrap();
    let mut dev = Dev::start(folder.path(), &["--data", "kept"]);
    let last = dev.welcome();
    drop(dev);
    assert_eq!(listed(), [fact(&last, "CLIENT_ID=")]);
    assert_ne!(fact(&last, "CLIENT_ID="), fact(&before, "CLIENT_ID="));

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
