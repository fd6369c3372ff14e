//! Settings: one field of a struct gives the flag, the environment variable, the key in the settings file, and the row of
//! the reference.

mod file;
#[cfg(test)]
mod tests;

use std::{any::TypeId, ffi::OsString, ops::Deref};

use clap::{
    Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Id, builder::Resettable,
    parser::ValueSource,
};

pub(crate) use self::file::{EXAMPLE, FileOnly, SettingsFile};
#[cfg(test)]
pub(crate) use self::tests::parse_with;
use crate::failure::{Failure, Outcome};

/// First part of the name of each variable.
const PREFIX: &str = "STEAD_";

/// The option that names the settings file. The file can't have it as a key.
const FILE: &str = "config";

/// A group of settings. The name of a field gives the environment variable, unless the field names another one.
#[derive(Debug)]
pub(crate) struct Settings<T>(T);

impl<T> Deref for Settings<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: FromArgMatches> FromArgMatches for Settings<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        T::from_arg_matches_mut(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Args> Args for Settings<T> {
    fn group_id() -> Option<Id> {
        T::group_id()
    }

    fn augment_args(command: Command) -> Command {
        let others = ids(&command);
        T::augment_args(command).mut_args(|option| with_variable(option, &others))
    }

    fn augment_args_for_update(command: Command) -> Command {
        let others = ids(&command);
        T::augment_args_for_update(command).mut_args(|option| with_variable(option, &others))
    }
}

fn ids(command: &Command) -> Vec<Id> {
    let ids = command.get_arguments().map(Arg::get_id);
    ids.cloned().collect()
}

/// Gives an option of a group its variable. `others` aren't in the group.
fn with_variable(option: Arg, others: &[Id]) -> Arg {
    if option.get_env().is_some() || others.contains(option.get_id()) {
        return option;
    }
    let name = format!("{PREFIX}{}", option.get_id().as_str().to_uppercase());
    option.env(name)
}

/// The variable of a setting, without `STEAD_` and in small letters.
fn name_of(option: &Arg) -> Option<String> {
    let variable = option.get_env()?.to_str()?;
    Some(variable.strip_prefix(PREFIX)?.to_lowercase())
}

/// The key of an option in the settings file. Secrets and hidden options have no key.
pub(crate) fn key_of(option: &Arg) -> Option<String> {
    let hides = option.is_hide_set() || option.is_hide_env_values_set();
    name_of(option).filter(|_| !hides && option.get_id() != FILE)
}

/// The options that can have a key: those of the service, and those of every command.
fn options_of_service(command: &Command) -> impl Iterator<Item = &Arg> {
    let serve = command.find_subcommand("serve").into_iter();
    command
        .get_arguments()
        .chain(serve.flat_map(Command::get_arguments))
}

/// The options of a command, and of the commands below it.
pub(crate) fn all_options(command: &Command) -> Vec<&Arg> {
    let inner = command.get_subcommands().flat_map(all_options);
    command.get_arguments().chain(inner).collect()
}

/// A command line, completed by the settings file that it names.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) matches: ArgMatches,
    /// The file, or why it's refused.
    pub(crate) file: Outcome<Option<SettingsFile>>,
}

/// Parses a command line. The values of the settings file replace the defaults, so flags and variables override them.
pub(crate) fn parse(mut command: Command, line: &[OsString]) -> Result<Parsed, clap::Error> {
    let matches = command.try_get_matches_from_mut(line)?;
    let Some(named) = named_in(&matches) else {
        let file = Ok(None);
        return Ok(Parsed { matches, file });
    };
    Ok(match named.read(&command) {
        Ok(file) => {
            let mut command = with_defaults(command, &matches, &file);
            let matches = command.try_get_matches_from_mut(line)?;
            let file = Ok(Some(file));
            Parsed { matches, file }
        }
        Err(failure) => Parsed {
            matches,
            file: Err(failure),
        },
    })
}

/// The file that the command line or the environment names.
fn named_in(matches: &ArgMatches) -> Option<SettingsFile> {
    match matches.try_get_one(FILE) {
        Ok(Some(file)) => Some(SettingsFile::clone(file)),
        _ => named_in(matches.subcommand()?.1),
    }
}

/// The command, with the values of the file as the defaults of the options in use.
fn with_defaults(command: Command, matches: &ArgMatches, file: &SettingsFile) -> Command {
    let command = command.mut_args(|option| {
        if option.get_id() == FILE {
            return option.value_parser(file.clone().parser());
        }
        let Some(texts) = name_of(&option).and_then(|name| file.texts(&name)) else {
            return option;
        };
        let id = option.get_id().as_str();
        let is_empty = matches.value_source(id) == Some(ValueSource::EnvVariable)
            && matches
                .get_raw(id)
                .is_some_and(|mut texts| texts.all(|text| text.is_empty()));
        let option = option.default_values(texts);
        // An empty variable counts as unset.
        match is_empty {
            true => option.env(Resettable::Reset),
            false => option,
        }
    });
    match matches.subcommand() {
        Some((name, matches)) => {
            command.mut_subcommand(name, |inner| with_defaults(inner, matches, file))
        }
        None => command,
    }
}

/// The texts of a value in the file, or what the option expects.
fn texts_of(option: &Arg, value: &toml::Value) -> Result<Vec<String>, String> {
    use toml::Value::{Array, Boolean, Integer, String as Text};

    let wrong = |expected: &str| Err(format!("expected {expected}, but got {}", kind(value)));
    let takes = |numbers: &[TypeId]| {
        let id = option.get_value_parser().type_id();
        numbers.iter().any(|number| id == *number)
    };
    if !option.get_action().takes_values() {
        return match value {
            Boolean(given) => Ok(vec![given.to_string()]),
            _ => wrong("true or false"),
        };
    }
    let texts = match (option.get_action(), value) {
        (ArgAction::Append, Array(items)) => {
            let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<_>>>()
        }
        (ArgAction::Append, _) => None,
        (_, Integer(number)) if takes(&NUMBERS) => (*number >= 0).then(|| vec![number.to_string()]),
        (_, Text(text)) if !takes(&NUMBERS) => Some(vec![text.clone()]),
        _ => None,
    };
    let Some(texts) = texts else {
        return wrong(match option.get_action() {
            ArgAction::Append => "a list of strings, such as [\"one\", \"two\"]",
            _ if takes(&NUMBERS) => "a whole number of 0 or more, without quotes",
            _ => "a string in quotes",
        });
    };
    accepted(option, &texts)?;
    Ok(texts)
}

/// The types of options that take a number.
const NUMBERS: [TypeId; 3] = [
    TypeId::of::<u32>(),
    TypeId::of::<u64>(),
    TypeId::of::<usize>(),
];

fn kind(value: &toml::Value) -> String {
    match value {
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Boolean(given) => given.to_string(),
        toml::Value::Array(_) => String::from("a list"),
        other => format!("a {}", other.type_str()),
    }
}

/// Refuses texts that the option doesn't take, in words that don't name the flag.
fn accepted(option: &Arg, texts: &[String]) -> Result<(), String> {
    let flag = option.get_long().unwrap_or_default();
    let only = Command::new(PREFIX)
        .no_binary_name(true)
        .arg(option.clone());
    let line = texts.iter().map(|text| format!("--{flag}={text}"));
    let Err(error) = only.try_get_matches_from(line) else {
        return Ok(());
    };
    let values = option.get_possible_values();
    let names: Vec<&str> = values.iter().map(|value| value.get_name()).collect();
    Err(match std::error::Error::source(&error) {
        _ if !names.is_empty() => format!("expected one of {}", names.join(", ")),
        Some(why) => why.to_string(),
        None => String::from("expected a value that isn't empty"),
    })
}

impl SettingsFile {
    /// Adds the lines of this file whose options a failure names, if nothing overrides them.
    pub(crate) fn explain(&self, failure: &mut Failure, matches: &ArgMatches) {
        let Failure::CommandLine { what, next, .. } = failure else {
            return;
        };
        let said = format!("{what} {next}");
        for place in
            self.places(|value| is_flag_in(&value.flag, &said) && is_default(matches, &value.id))
        {
            next.push_str("\n  ");
            next.push_str(&place);
        }
    }
}

/// Whether an option of the command in use has its default, which may be the value of the file.
fn is_default(matches: &ArgMatches, id: &str) -> bool {
    let is_known = matches.try_contains_id(id).is_ok();
    match matches.subcommand() {
        Some((_, inner)) if !is_known => is_default(inner, id),
        _ => is_known && matches.value_source(id) == Some(ValueSource::DefaultValue),
    }
}

/// Whether a text names a flag, and not only a longer one.
fn is_flag_in(flag: &str, text: &str) -> bool {
    let is_longer =
        |rest: &str| rest.starts_with(|next: char| next == '-' || next.is_alphanumeric());
    let flag = format!("--{flag}");
    text.split(&flag).skip(1).any(|rest| !is_longer(rest))
}
