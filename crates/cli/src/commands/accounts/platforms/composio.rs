//! Composio: the response of `GET /api/v3/connected_accounts/{nanoid}`.
//! <https://docs.composio.dev/api-reference/connected-accounts/get-connected-accounts-by-nanoid>
//!
//! Secrets are masked or redacted for Composio's own OAuth clients, and for projects that turn on masking:
//! <https://docs.composio.dev/docs/changelog/2026/04/22>. The response doesn't tell when an access token expires.

use secrecy::ExposeSecret as _;
use stead_core::resource::AccountWithTokens;

use super::fields::Fields;

pub(super) fn read(fields: &mut Fields) -> Option<AccountWithTokens> {
    let other = "only OAuth 2.0 accounts can be imported";
    fields.expect("/state/authScheme", "OAUTH2", other);
    let dead = "its tokens no longer work; create a link for this user";
    fields.expect("/status", "ACTIVE", dead);
    let config = fields.needed("/auth_config/id");
    let user = fields.needed("/user_id");
    let mut account = fields.account(config, user, "/state/val")?;
    let refresh = account.refresh_token.as_ref();
    for (name, token) in [
        ("access_token", Some(&account.access_token)),
        ("refresh_token", refresh),
    ] {
        if token.is_some_and(|token| is_masked(token.expose_secret())) {
            let message =
                "the secret is masked; export it without masking, or create a link for this user";
            fields.wrong(&format!("/state/val/{name}"), "format", message);
        }
    }
    let disabled = fields.is_true("/is_disabled");
    account.state = disabled.then(|| String::from("suspended"));
    account.scopes = fields.scopes("/state/val/scope");
    account.token_response = fields.token_response("/state/val");
    Some(account)
}

fn is_masked(token: &str) -> bool {
    token.contains("REDACTED") || token.ends_with("...") || token.contains("***")
}
