//! Sign-in to the dashboard: options of `stead serve` for the OpenID Connect provider, and the link for the first
//! member.

use std::path::{Path, PathBuf};

use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};
use stead::Platform;
use stead_core::{api::Paging, environment::SignInProvider, resource::ListMembers};

use crate::{
    commands::members::Role,
    failure::{Failure, Outcome},
    secrets,
    terminal::Terminal,
};

/// An OpenID Connect provider, and the people who may sign in. An empty variable counts as unset, except the role's.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Dashboard sign-in")]
pub(crate) struct SignInArgs {
    /// Issuer of the OpenID Connect provider for sign-in, for example https://accounts.google.com. At the provider,
    /// register the redirect URI /dashboard/sign-in/callback below your public URL.
    #[arg(long, value_name = "URL")]
    oidc_issuer: Option<String>,

    /// Client ID of Stead at the provider.
    #[arg(long, value_name = "ID")]
    oidc_client_id: Option<String>,

    /// File with the client secret, or - for standard input. Without it, Stead reads the secret from the environment
    /// variable STEAD_OIDC_CLIENT_SECRET.
    #[arg(long, value_name = "FILE")]
    oidc_client_secret_file: Option<PathBuf>,

    /// The client secret, only from the environment.
    #[arg(long, hide = true, hide_env_values = true, value_parser = secrets::parse)]
    oidc_client_secret: Option<SecretString>,

    /// Name of the provider on the sign-in button. By default, it's the provider's host.
    #[arg(long, value_name = "NAME")]
    oidc_name: Option<String>,

    /// Email addresses that may sign in, separated by commas. The provider must have verified them. You need this
    /// option or --oidc-required-claim. If you set both, both must match.
    #[arg(long, value_name = "EMAIL", value_delimiter = ',')]
    oidc_allowed_emails: Vec<String>,

    /// Claim that the ID token must have. Its value must be this one, or a list that contains it.
    #[arg(long, value_name = "NAME=VALUE")]
    oidc_required_claim: Option<String>,

    /// Role of people who sign in for the first time. The default is viewer.
    #[arg(long, value_name = "ROLE", value_enum)]
    oidc_role: Option<Role>,

    /// Allow sign-in only at the provider. Stead refuses passwords, and ends sessions that were opened with one.
    #[arg(long)]
    oidc_only: bool,
}

impl SignInArgs {
    /// The provider, if one is set.
    pub(crate) fn provider(&self) -> Outcome<Option<SignInProvider>> {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let emails = self.oidc_allowed_emails.iter().map(|email| email.trim());
        let emails: Vec<&str> = emails.filter(|email| !email.is_empty()).collect();
        let claim = given(&self.oidc_required_claim);
        let Some(issuer) = given(&self.oidc_issuer) else {
            let more = given(&self.oidc_client_id).is_some()
                || self.has_secret()
                || given(&self.oidc_name).is_some()
                || !emails.is_empty()
                || claim.is_some()
                || self.oidc_role.is_some()
                || self.oidc_only;
            return match more {
                true => Err(missing(
                    "ISSUER",
                    "the other options of the provider need it",
                )),
                false => Ok(None),
            };
        };
        let client_id = given(&self.oidc_client_id);
        let client_id = client_id.ok_or_else(|| missing("CLIENT_ID", "--oidc-issuer needs it"))?;
        let secret = self.secret()?;
        let secret =
            secret.ok_or_else(|| missing("CLIENT_SECRET_FILE", "--oidc-issuer needs it"))?;
        let mut provider = SignInProvider::new(&issuer, client_id, secret)
            .map_err(|error| refused("ISSUER", error.message()))?;
        if emails.is_empty() && claim.is_none() {
            return Err(Failure::configuration(
                "anyone with an account at your OpenID Connect provider could sign in",
                "Limit who can sign in with --oidc-allowed-emails or --oidc-required-claim, or with STEAD_OIDC_ALLOWED_EMAILS or STEAD_OIDC_REQUIRED_CLAIM.",
            ));
        }
        provider = provider
            .allowed_emails(emails)
            .map_err(|error| refused("ALLOWED_EMAILS", error.message()))?;
        if let Some(claim) = claim {
            let (name, value) = claim.split_once('=').unwrap_or_default();
            provider = provider
                .required_claim(name, value)
                .map_err(|error| refused("REQUIRED_CLAIM", error.message()))?;
        }
        if let Some(name) = given(&self.oidc_name) {
            provider = provider
                .name(&name)
                .map_err(|error| refused("NAME", error.message()))?;
        }
        if self.oidc_only {
            provider = provider.only();
        }
        Ok(Some(match self.oidc_role {
            Some(role) => provider.role(role.into()),
            None => provider,
        }))
    }

    fn has_secret(&self) -> bool {
        self.secret_file().is_some() || self.secret_in_variable().is_some()
    }

    fn secret(&self) -> Outcome<Option<SecretString>> {
        match self.secret_file() {
            Some(path) => secrets::read(path).map(Some),
            None => Ok(self.secret_in_variable().cloned()),
        }
    }

    fn secret_file(&self) -> Option<&Path> {
        let file = self.oidc_client_secret_file.as_deref();
        file.filter(|path| !path.as_os_str().is_empty())
    }

    fn secret_in_variable(&self) -> Option<&SecretString> {
        let secret = self.oidc_client_secret.as_ref();
        secret.filter(|secret| !secret.expose_secret().is_empty())
    }
}

/// Shows how to add the first member, if there are no members. The link is a secret, so only a terminal shows it:
/// systemd, containers and log collectors store their output.
pub(super) async fn offer_setup(platform: &Platform, terminal: &Terminal) -> Outcome {
    let environment = platform.environment();
    if !environment
        .send(ListMembers::new().page(Paging::new(None, 1)))
        .await?
        .items
        .is_empty()
    {
        return Ok(());
    }
    if !terminal.shows_errors() {
        tracing::warn!(
            "the dashboard has no members yet; create the first owner with the same settings: stead members invite EMAIL --role owner"
        );
        return Ok(());
    }
    if let Some(link) = environment.begin_setup().await? {
        terminal.error(format_args!(
            "The dashboard has no members yet. The first person to open this link within 15 minutes becomes its owner:\n  {}",
            link.expose_secret()
        ));
    }
    Ok(())
}

/// Checks the provider in the background. Otherwise, only the first member who signs in would notice a wrong setting.
pub(super) fn check_provider(platform: &Platform) {
    let environment = platform.environment().clone();
    tokio::spawn(async move {
        if let Err(error) = environment.check_sign_in_provider().await {
            tracing::warn!(
                "{}; check --oidc-issuer or STEAD_OIDC_ISSUER",
                error.message()
            );
        }
    });
}

fn option(name: &str) -> String {
    format!("--oidc-{}", name.to_lowercase().replace('_', "-"))
}

fn missing(name: &str, because: &str) -> Failure {
    let option = option(name);
    Failure::configuration(
        format!("{option} is missing; {because}"),
        format!("Set {option} or the environment variable STEAD_OIDC_{name}."),
    )
}

fn refused(name: &str, why: &str) -> Failure {
    Failure::configuration(
        format!("{}: {why}", option(name)),
        format!("Change the option, or the environment variable STEAD_OIDC_{name}."),
    )
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn text(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn args() -> SignInArgs {
        SignInArgs {
            oidc_issuer: text("https://login.example.com"),
            oidc_client_id: text("stead"),
            oidc_client_secret: Some(SecretString::from("CANARY")),
            oidc_allowed_emails: vec![String::from("ada@example.com"), String::from(" ")],
            ..SignInArgs::default()
        }
    }

    #[track_caller]
    fn assert_refused(args: &SignInArgs, expected: &[&str]) {
        let said = format!("{:?}", args.provider().unwrap_err());
        for part in expected {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert!(!said.contains("CANARY"), "{said}");
    }

    #[test]
    fn the_secret_is_refused_as_an_argument() {
        let line = ["stead", "serve", "--oidc-client-secret", "hush"];
        let matches = crate::CommandLine::command().get_matches_from(line);
        assert!(secrets::refuse_on_command_line(&matches).is_err());
    }

    #[test]
    fn a_provider_exists_only_if_its_options_are_set() {
        assert!(SignInArgs::default().provider().unwrap().is_none());
        let empty = SignInArgs {
            oidc_issuer: text(""),
            oidc_name: text(" "),
            ..SignInArgs::default()
        };
        assert!(empty.provider().unwrap().is_none());
        let provider = args().provider().unwrap().unwrap();
        assert_eq!(provider.host(), "login.example.com");
        let by_claim = SignInArgs {
            oidc_allowed_emails: Vec::new(),
            oidc_required_claim: text("hd=example.com"),
            oidc_name: text("Example"),
            oidc_role: Some(Role::Owner),
            ..args()
        };
        assert!(by_claim.provider().unwrap().is_some());
    }

    #[test]
    fn a_wrong_or_missing_option_is_named() {
        let needs = |change: fn(&mut SignInArgs), expected: &[&str]| {
            let mut args = args();
            change(&mut args);
            assert_refused(&args, expected);
        };
        needs(
            |args| args.oidc_issuer = None,
            &["--oidc-issuer is missing", "STEAD_OIDC_ISSUER"],
        );
        needs(
            |args| args.oidc_client_id = None,
            &["--oidc-client-id is missing", "STEAD_OIDC_CLIENT_ID"],
        );
        needs(
            |args| args.oidc_client_secret = None,
            &["--oidc-client-secret-file is missing"],
        );
        needs(
            |args| args.oidc_issuer = text("http://login.example.com"),
            &["--oidc-issuer: ", "https"],
        );
        needs(
            |args| args.oidc_allowed_emails.clear(),
            &["--oidc-allowed-emails or --oidc-required-claim"],
        );
        needs(
            |args| args.oidc_allowed_emails.push(String::from("bob")),
            &["--oidc-allowed-emails: ", "bob"],
        );
        for claim in ["hd", "hd=", "=x"] {
            let args = SignInArgs {
                oidc_required_claim: text(claim),
                ..args()
            };
            assert_refused(&args, &["--oidc-required-claim: "]);
        }
        needs(
            |args| args.oidc_name = Some("x".repeat(61)),
            &["--oidc-name: "],
        );
        needs(
            |args| args.oidc_client_secret_file = Some(PathBuf::from("/nowhere/secret")),
            &["can't read /nowhere/secret"],
        );
        for lone in [
            SignInArgs {
                oidc_role: Some(Role::Viewer),
                ..SignInArgs::default()
            },
            SignInArgs {
                oidc_only: true,
                ..SignInArgs::default()
            },
        ] {
            assert_refused(&lone, &["--oidc-issuer is missing"]);
        }
    }
}
