//! Tests of the settings: their precedence, and why a file is refused.

use std::ffi::OsStr;

use clap::{CommandFactory as _, Parser};
use stead::Platform;

use super::*;
use crate::CommandLine;

/// An empty `serve`, and one that takes this file.
struct Folder(tempfile::TempDir);

impl Folder {
    fn with(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("stead.toml"), text).unwrap();
        Self(folder)
    }

    fn parse(&self, command: Command, arguments: &[String]) -> Parsed {
        let name = command.get_name().to_owned();
        let config = format!("--config={}", self.0.path().join("stead.toml").display());
        let line = [name, String::from("serve"), config].into_iter();
        let line = line.chain(arguments.iter().cloned()).map(OsString::from);
        parse(command, &line.collect::<Vec<_>>()).unwrap()
    }

    /// The texts that `serve` has for an option.
    fn serve(&self, id: &str, arguments: &[String]) -> Vec<String> {
        let Parsed { matches, file } = self.parse(CommandLine::command(), arguments);
        file.unwrap();
        CommandLine::from_arg_matches(&matches).unwrap();
        let raw = matches.subcommand_matches("serve").unwrap().get_raw(id);
        let texts = raw.into_iter().flatten();
        texts
            .map(|text| text.to_str().unwrap().to_owned())
            .collect()
    }
}

/// The settings of a command with a file.
pub(crate) fn parse_with<T: Args + std::fmt::Debug>(serve: Command, text: &str) -> T {
    #[derive(Debug, Parser)]
    struct File {
        #[arg(long, value_parser = SettingsFile::unread())]
        config: Option<SettingsFile>,
    }

    let command = Command::new("stead").subcommand(File::augment_args(serve));
    let parsed = Folder::with(text).parse(command, &[]);
    assert!(parsed.file.unwrap().is_some());
    T::from_arg_matches(parsed.matches.subcommand_matches("serve").unwrap()).unwrap()
}

/// Two values of an option, in TOML and as a text.
fn examples(option: &Arg) -> [(String, String); 2] {
    let quoted = |text: &str| (format!("{text:?}"), text.to_owned());
    let plain = |text: &str| (text.to_owned(), text.to_owned());
    let is = |number: TypeId| option.get_value_parser().type_id() == number;
    let values = option.get_possible_values();
    match option.get_action() {
        ArgAction::SetTrue => [plain("true"), plain("false")],
        ArgAction::Append if option.get_id() == "trusted_proxies" => [
            (
                "[\"10.0.0.0/8\", \"10.1.0.0/16\"]",
                "10.0.0.0/8,10.1.0.0/16",
            ),
            ("[\"10.2.0.0/16\"]", "10.2.0.0/16"),
        ]
        .map(|(toml, text)| (toml.to_owned(), text.to_owned())),
        ArgAction::Append => [("[\"one\", \"two\"]", "one,two"), ("[\"three\"]", "three")]
            .map(|(toml, text)| (toml.to_owned(), text.to_owned())),
        _ if NUMBERS.iter().any(|number| is(*number)) => [plain("11"), plain("12")],
        _ if is(TypeId::of::<std::net::SocketAddr>()) => {
            [quoted("127.0.0.1:1"), quoted("127.0.0.1:2")]
        }
        _ if !values.is_empty() => [quoted(values[0].get_name()), quoted(values[1].get_name())],
        _ => [quoted("one"), quoted("two")],
    }
}

/// The settings of `serve` with a key.
fn settings() -> Vec<Arg> {
    let mut command = CommandLine::command();
    command.build();
    let serve = command.find_subcommand("serve").unwrap();
    let settings = serve.get_arguments().filter(|one| key_of(one).is_some());
    settings.cloned().collect()
}

fn flag(option: &Arg, text: &str) -> String {
    let flag = option.get_long().unwrap();
    match option.get_action() {
        ArgAction::SetTrue => format!("--{flag}"),
        _ => format!("--{flag}={text}"),
    }
}

/// Set in the process that has every variable.
const WITH_VARIABLES: &str = "TEST_WITH_VARIABLES";

#[test]
fn every_setting_follows_from_its_flag_then_its_variable_then_the_file() {
    let has_variables = std::env::var_os(WITH_VARIABLES).is_some();
    let settings = settings();
    for option in &settings {
        let id = option.get_id().as_str();
        let [(one, one_text), (other, other_text)] = examples(option);
        let folder = Folder::with(&format!("{} = {other}", key_of(option).unwrap()));
        let texts = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        let by_flag = [flag(option, &one_text)];
        // The flag of an option without a value takes no text.
        if option.get_action().takes_values() {
            assert_eq!(folder.serve(id, &by_flag), texts(&one_text), "{id}");
        }
        let matches = folder.parse(CommandLine::command(), &by_flag).matches;
        let source = matches
            .subcommand_matches("serve")
            .unwrap()
            .value_source(id);
        assert_eq!(source, Some(ValueSource::CommandLine), "{id}");
        if has_variables {
            assert_eq!(folder.serve(id, &[]), texts(&one_text), "{id}");
        } else {
            assert_eq!(folder.serve(id, &[]), texts(&other_text), "{id}");
            let folder = Folder::with(&format!("{} = {one}", key_of(option).unwrap()));
            assert_eq!(folder.serve(id, &[]), texts(&one_text), "{id}");
        }
    }
    if !has_variables {
        let variables = settings.iter().map(|option| {
            let [(_, text), _] = examples(option);
            (option.get_env().unwrap(), text)
        });
        run_again(
            "every_setting_follows_from_its_flag_then_its_variable_then_the_file",
            variables,
        );
    }
}

#[test]
fn an_empty_variable_leaves_the_value_of_the_file() {
    if std::env::var_os(WITH_VARIABLES).is_none() {
        let empty = [("STEAD_BRAND_NAME", ""), ("STEAD_VERIFY_ORIGINS", "")];
        return run_again("an_empty_variable_leaves_the_value_of_the_file", empty);
    }
    let folder = Folder::with("brand_name = \"one\"\nverify_origins = [\"two\"]");
    assert_eq!(folder.serve("brand_name", &[]), ["one"]);
    assert_eq!(folder.serve("verify_origins", &[]), ["two"]);
    let flag = [String::from("--brand-name=three")];
    assert_eq!(folder.serve("brand_name", &flag), ["three"]);
}

/// Runs a test in a process with these variables.
fn run_again(
    test: &str,
    variables: impl IntoIterator<Item = (impl AsRef<OsStr>, impl AsRef<OsStr>)>,
) {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([&format!("settings::tests::{test}"), "--exact"])
        .env(WITH_VARIABLES, "1")
        .envs(variables)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
}

#[track_caller]
fn assert_refused(text: &str, line: usize, expected: &[&str]) {
    let folder = Folder::with(text);
    let refused = folder.parse(CommandLine::command(), &[]).file.unwrap_err();
    let Failure::CommandLine { what, next, .. } = refused else {
        panic!("another failure");
    };
    let said = format!("{what}\n{next}");
    for part in [format!("stead.toml, line {line}: ").as_str()]
        .iter()
        .chain(expected)
    {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn an_unknown_key_is_refused_with_the_nearest_one() {
    assert_refused(
        "\nmax_cals = 7",
        2,
        &["unknown key max_cals; did you mean max_calls"],
    );
    assert_refused("allowed_host = []", 1, &["did you mean allowed_hosts"]);
    assert_refused("[mail]", 1, &["[products.mail]"]);
    assert_refused(
        "[products.mail]\npace = 1\n",
        2,
        &["`pace`", "`issuer`, `rate_limited`"],
    );
    assert_refused(
        "[products.mail]\nmax_calls = 1\n",
        2,
        &["Put max_calls above the first table"],
    );
    assert_refused("a = 1\nb = \n", 2, &[]);
}

#[test]
fn a_secret_and_an_option_of_one_start_are_refused_with_their_place() {
    for (key, place) in [
        ("key", "STEAD_KEY, or --key-file"),
        ("oidc_client_secret", "--oidc-client-secret-file"),
        ("client_secret", "STEAD_CLIENT_SECRET"),
        ("product_client_secret", "STEAD_PRODUCT_CLIENT_SECRET"),
        ("database_url", "STEAD_DATABASE_URL"),
        ("mcp_token", "STEAD_MCP_TOKEN"),
    ] {
        assert_refused(&format!("{key} = \"x\""), 1, &["is a secret", place]);
    }
    for key in ["create", "public_url_changed", "config", "json"] {
        let flag = format!("Use the argument --{}.", key.replace('_', "-"));
        assert_refused(
            &format!("{key} = true"),
            1,
            &["can't be set in a file", &flag],
        );
    }
    let unknown = "url = \"http://127.0.0.1\"";
    assert_refused(unknown, 1, &["unknown key url"]);
}

#[test]
fn a_wrong_value_is_refused_with_the_expected_one() {
    for (line, expected) in [
        (
            "max_calls = 0",
            "max_calls: expected a whole number of at least 1",
        ),
        (
            "max_calls = \"7\"",
            "max_calls: expected a whole number of 0 or more, without quotes",
        ),
        (
            "history_bytes = -1",
            "history_bytes: expected a whole number of 0 or more",
        ),
        (
            "store_outage = 90000",
            "store_outage: 90000 is not in 0..=86400",
        ),
        ("listen = \"nowhere\"", "listen: "),
        (
            "mcp_read_only = 1",
            "mcp_read_only: expected true or false, but got 1",
        ),
        (
            "allowed_hosts = \"a\"",
            "allowed_hosts: expected a list of strings",
        ),
        (
            "brand_name = [\"a\"]",
            "brand_name: expected a string in quotes, but got a list",
        ),
        (
            "oidc_role = \"king\"",
            "oidc_role: expected one of owner, operator, viewer",
        ),
        (
            "database = \"\"",
            "database: expected a value that isn't empty",
        ),
        ("private_hosts = \"a\"", "private_hosts: invalid type"),
        (
            "[products.mail]\nrate_limited = 1",
            "rate_limited: invalid type",
        ),
    ] {
        let number = line.lines().count() + 1;
        assert_refused(&format!("\n{line}"), number, &[expected]);
    }
}

#[test]
fn a_later_failure_names_the_line_of_the_file() {
    let folder = Folder::with("database = \"a\"\nbrand_color = \"#ffee00\"");
    let explained = |arguments: &[String]| {
        let Parsed { matches, file } = folder.parse(CommandLine::command(), arguments);
        let mut failure = Failure::usage("--brand-color: pale", "Omit --database-url.");
        file.unwrap().unwrap().explain(&mut failure, &matches);
        format!("{failure:?}")
    };
    let said = explained(&[]);
    assert!(
        said.contains("stead.toml, line 2, sets brand_color."),
        "{said}"
    );
    assert!(!said.contains("sets database."), "{said}");
    let said = explained(&[String::from("--brand-color=#ffff00")]);
    assert!(!said.contains("stead.toml"), "{said}");
}

#[test]
fn commands_take_their_own_options_from_the_file() {
    let folder = Folder::with("public_url = \"https://a.example\"\nmax_calls = 9\nlog = \"debug\"");
    let file = folder.0.path().join("stead.toml").display().to_string();
    for line in ["stead doctor", "stead keys rotate", "stead executions"] {
        let line = format!("{line} --config {file}");
        let line: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let Parsed { mut matches, file } = parse(CommandLine::command(), &line).unwrap();
        file.unwrap();
        assert_eq!(matches.get_one::<String>("log").unwrap(), "debug");
        while let Some((_, inner)) = matches.remove_subcommand() {
            matches = inner;
        }
        let url: &String = matches.get_one("public_url").unwrap();
        assert_eq!(url, "https://a.example");
    }
}

#[tokio::test]
async fn a_platform_takes_the_example() {
    let folder = Folder::with(EXAMPLE);
    let Parsed { matches, file } = folder.parse(CommandLine::command(), &[]);
    let serve = matches.subcommand_matches("serve").unwrap();
    let text = |id: &str| serve.get_one::<String>(id).unwrap();
    let mut builder = Platform::builder(text("public_url"))
        .ephemeral_key()
        .in_memory()
        .verify_url(text("verify_url"));
    let file = file.unwrap().unwrap();
    assert_eq!(file.own().products["mail"].rate_limited, Some(false));
    for (name, options) in &file.own().products {
        builder = builder.product(name, options.clone());
    }
    builder.build().await.unwrap();
}
