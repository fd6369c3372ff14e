//! Which operations become commands, and with which names and options.

use clap::CommandFactory as _;

use super::{Derived, all, by_hand};
use crate::CommandLine;

fn find(noun: &str, verb: &str) -> &'static Derived {
    let mut all = all().iter();
    all.find(|one| one.noun == noun && one.verb == verb)
        .unwrap_or_else(|| panic!("no command {noun} {verb}"))
}

#[test]
fn every_operation_without_a_handwritten_command_has_a_derived_one() {
    let command = CommandLine::command();
    for derived in all() {
        let noun = command.find_subcommand(derived.noun).unwrap();
        let verb = noun.find_subcommand(&derived.verb);
        assert!(verb.is_some(), "{} {}", derived.noun, derived.verb);
    }
    assert_eq!(find("members", "show").info.path, "/v1/members/{member_id}");
    assert!(by_hand::sends::<stead::resource::NewWebhook>());
}

#[test]
fn a_handwritten_command_replaces_the_derived_one() {
    for derived in all() {
        let same = all().iter();
        let same = same.filter(|one| (one.noun, &one.verb) == (derived.noun, &derived.verb));
        assert_eq!(same.count(), 1, "{} {}", derived.noun, derived.verb);
    }
    // A second subcommand with the same name would hide the first.
    CommandLine::command().debug_assert();
}

#[test]
fn no_derived_command_takes_a_secret() {
    for derived in all() {
        for argument in derived.arguments.to_clap() {
            let name = argument.get_id().as_str();
            let is_secret = ["secret", "password", "token"]
                .iter()
                .any(|word| name.contains(word));
            assert!(
                !is_secret || name.ends_with("_id"),
                "{} {} {name}",
                derived.noun,
                derived.verb
            );
        }
    }
}

#[test]
fn the_options_of_a_noun_choose_the_target_of_its_verbs() {
    for line in [
        "stead webhooks --url http://127.0.0.1:9 change wh_1 --new-url https://app.example",
        "stead members show mem_1 --url http://127.0.0.1:9",
        "stead executions show exe_1 --url http://127.0.0.1:9",
    ] {
        let matches = CommandLine::command().try_get_matches_from(line.split(' '));
        let mut matches = matches.unwrap_or_else(|error| panic!("{line}: {error}"));
        let given = super::take(&mut matches).unwrap().unwrap();
        let target = format!("{:?}", given.target);
        assert!(target.contains("http://127.0.0.1:9"), "{line}");
    }
}

#[test]
fn a_summary_becomes_the_help_of_a_command() {
    for (summary, help) in [
        ("Reads a webhook.", "Read a webhook"),
        ("Verifies the log.", "Verify the log"),
        ("Refreshes a token.", "Refresh a token"),
        ("Changes a member.", "Change a member"),
        ("Finishes.", "Finish"),
    ] {
        assert_eq!(super::imperative(summary), help);
    }
}
