//! The table of the types of events.

/// A type of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventType {
    /// Its name.
    pub name: &'static str,
    /// When such an event happens.
    pub when: &'static str,
    /// Members of its `data`; any but `connection_name` and `identifier` may be absent.
    pub data: &'static [&'static str],
    /// Whether it is kept for 24 hours only, because there are many of them and the next one replaces it.
    pub short_lived: bool,
}

impl EventType {
    /// The type of a name.
    #[must_use]
    pub fn of(name: &str) -> Option<&'static Self> {
        EVENT_TYPES.iter().find(|known| known.name == name)
    }
}

const ACCOUNT: &[&str] = &[
    "account_id",
    "connection_id",
    "connection_name",
    "product",
    "identifier",
    "status",
    "previous_status",
    "reason",
    "missing_scopes",
];
const ERASURE: &[&str] = &[
    "account_id",
    "connection_id",
    "connection_name",
    "product",
    "identifier",
];
const REFRESH: &[&str] = &["account_id", "connection_name", "product", "identifier"];
const REVOCATION: &[&str] = &[
    "account_id",
    "connection_name",
    "product",
    "identifier",
    "outcome",
    "reason",
];
const AUTHORIZATION: &[&str] = &[
    "authorization_id",
    "account_id",
    "connection_name",
    "product",
    "identifier",
    "status",
    "reason",
];
const WEBHOOK: &[&str] = &["webhook_id"];
const DISABLED: &[&str] = &["webhook_id", "reason"];
const CONNECTION: &[&str] = &["connection_name", "product", "status"];
const KEY: &[&str] = &["key_id", "status", "ring_key"];
const APP_CREDENTIAL: &[&str] = &["client_id", "name"];
const ELEVATED: &[&str] = &["member_id", "role", "client_id", "name", "scopes"];
const APPROVAL: &[&str] = &[
    "approval_id",
    "account_id",
    "connection_name",
    "product",
    "identifier",
    "tool",
    "method",
    "path",
    "status",
    "expires_at",
];
const MEMBER: &[&str] = &["member_id", "role"];
const POLICY: &[&str] = &["name"];
const MCP_SESSION: &[&str] = &["session_id"];
const ACCOUNT_TOKEN: &[&str] = &["token_id", "account_id", "connection_name", "product"];

const fn lasting(
    name: &'static str,
    data: &'static [&'static str],
    when: &'static str,
) -> EventType {
    EventType {
        name,
        when,
        data,
        short_lived: false,
    }
}

const fn short(name: &'static str, data: &'static [&'static str], when: &'static str) -> EventType {
    EventType {
        name,
        when,
        data,
        short_lived: true,
    }
}

/// Every type of events. Nothing else is ever an event.
pub static EVENT_TYPES: &[EventType] = &[
    lasting(
        "approval.requested",
        APPROVAL,
        "A call waits until a person has approved it; `GET /v1/approvals/{approval_id}` has its exact arguments.",
    ),
    lasting(
        "approval.approved",
        APPROVAL,
        "The call may be made once until the approval ends.",
    ),
    lasting("approval.denied", APPROVAL, "The call may not be made."),
    lasting("approval.used", APPROVAL, "The call was let through."),
    lasting(
        "approval.expired",
        APPROVAL,
        "The approval's time was over before the call was made.",
    ),
    lasting(
        "account.created",
        ACCOUNT,
        "A link was made for a user who has no account yet, or whose account was disconnected.",
    ),
    lasting(
        "account.verification_required",
        ACCOUNT,
        "The user came back, and the application has to confirm who it was.",
    ),
    lasting(
        "account.verification_failed",
        ACCOUNT,
        "The authorization that the account waited for ended without success.",
    ),
    lasting("account.activated", ACCOUNT, "The account can be used."),
    lasting(
        "account.reauthorized",
        ACCOUNT,
        "The user authorized again; new tokens took the place of the old ones.",
    ),
    lasting(
        "account.imported",
        ACCOUNT,
        "The operator gave it tokens that another platform had.",
    ),
    lasting(
        "account.needs_reauthorization",
        ACCOUNT,
        "The credential is dead, as `reason` says: only the user can help, with a new link.",
    ),
    lasting(
        "account.suspended",
        ACCOUNT,
        "The application or the operator paused the account.",
    ),
    lasting("account.resumed", ACCOUNT, "The pause ended."),
    lasting(
        "account.disconnected",
        ACCOUNT,
        "The account was ended, and its credentials were shredded.",
    ),
    lasting(
        "account.deleted",
        ACCOUNT,
        "The account was deleted with its connection.",
    ),
    lasting(
        "account.erased",
        ERASURE,
        "The user was erased: `identifier` is the pseudonym that stands in every event of the account from now on.",
    ),
    short(
        "account.refreshed",
        REFRESH,
        "A refresh brought new tokens, and nothing else changed.",
    ),
    short(
        "account.refresh_failed",
        REFRESH,
        "One more refresh in a row brought nothing, for a reason that may pass.",
    ),
    lasting(
        "account.refresh_degraded",
        ACCOUNT,
        "A refresh failed for the first time, for a reason that may pass; the account can be used while its access token lasts.",
    ),
    lasting(
        "account.reauthorization_due",
        ACCOUNT,
        "Within three days the user has to authorize again, because the product's refresh token expires: `reauthorize_by` of the account says when. It comes once, with a refresh.",
    ),
    lasting(
        "account.recovered",
        ACCOUNT,
        "A refresh brought new tokens after others had failed.",
    ),
    lasting(
        "account.credential_adopted",
        ACCOUNT,
        "Newer tokens than the current ones were found in the store, and took their place.",
    ),
    lasting(
        "account.revoked_at_product",
        REVOCATION,
        "The product confirmed that it ended the grant.",
    ),
    lasting(
        "account.revocation_failed",
        REVOCATION,
        "The product did not end the grant: `outcome` is `failed` after the last attempt, or `unsupported`.",
    ),
    lasting(
        "account.revocation_dropped",
        REVOCATION,
        "There was nothing left to revoke at the product.",
    ),
    lasting("authorization.created", AUTHORIZATION, "A link was made."),
    lasting(
        "authorization.redirected",
        AUTHORIZATION,
        "The user opened the link and was sent to the product.",
    ),
    lasting(
        "authorization.returned",
        AUTHORIZATION,
        "The browser came back from the product.",
    ),
    lasting(
        "authorization.verifying",
        AUTHORIZATION,
        "The code was exchanged; the tokens wait to be confirmed.",
    ),
    lasting(
        "authorization.completed",
        AUTHORIZATION,
        "The user was confirmed.",
    ),
    lasting(
        "authorization.denied",
        AUTHORIZATION,
        "The user or the product refused.",
    ),
    lasting(
        "authorization.failed",
        AUTHORIZATION,
        "It ended without success, as `reason` says.",
    ),
    short(
        "authorization.expired",
        AUTHORIZATION,
        "A link that no one had opened was past its time.",
    ),
    lasting(
        "authorization.superseded",
        AUTHORIZATION,
        "A newer authorization of the account took its place.",
    ),
    lasting(
        "connection.created",
        CONNECTION,
        "A connection was created.",
    ),
    lasting(
        "connection.changed",
        CONNECTION,
        "A connection was changed.",
    ),
    lasting(
        "connection.deleted",
        CONNECTION,
        "A connection was deleted, with the accounts that held no credentials.",
    ),
    lasting("webhook.created", WEBHOOK, "A webhook was created."),
    lasting("webhook.changed", WEBHOOK, "A webhook was changed."),
    lasting(
        "webhook.secret_rotated",
        WEBHOOK,
        "A webhook got a new secret.",
    ),
    lasting(
        "webhook.disabled",
        DISABLED,
        "Nothing is sent to a webhook any more: it responded 410 (`gone`), or everything failed for 5 days (`failing`).",
    ),
    lasting("webhook.deleted", WEBHOOK, "A webhook was deleted."),
    lasting(
        "connection.credentials_accepted",
        CONNECTION,
        "The product accepts the connection's client id and secret again.",
    ),
    lasting(
        "connection.credentials_rejected",
        CONNECTION,
        "The product refuses the connection's client id or secret: its developer has to act.",
    ),
    lasting(
        "key.added",
        KEY,
        "The operator added a data key; nothing is sealed with it yet.",
    ),
    lasting(
        "key.activated",
        KEY,
        "A data key seals from now on, in the place of the one before.",
    ),
    lasting(
        "key.rewrapped",
        KEY,
        "Another key of the operator's ring wraps a data key.",
    ),
    lasting(
        "key.reencrypted",
        &["key_id", "rows", "left"],
        "Rows were sealed again with the active data key.",
    ),
    lasting("key.retired", KEY, "A data key was destroyed."),
    lasting(
        "app_credential.created",
        APP_CREDENTIAL,
        "A credential of an application was created.",
    ),
    lasting(
        "app_credential.changed",
        APP_CREDENTIAL,
        "Its name, scopes or rate were changed.",
    ),
    lasting(
        "app_credential.rotated",
        APP_CREDENTIAL,
        "It got another secret.",
    ),
    lasting(
        "app_credential.secret_revoked",
        APP_CREDENTIAL,
        "One of its secrets was ended, with the tokens made with it.",
    ),
    lasting(
        "app_credential.revoked",
        APP_CREDENTIAL,
        "It was revoked, with its secrets and tokens.",
    ),
    lasting(
        "access.elevated",
        ELEVATED,
        "A member became an owner, or a credential got a scope with which it can make owners or credentials, use the keys, or \
         import accounts.",
    ),
    lasting(
        "policy.set",
        POLICY,
        "A policy was made, or its rules were replaced.",
    ),
    lasting("policy.deleted", POLICY, "A policy was deleted."),
    short(
        "mcp_session.ended",
        MCP_SESSION,
        "An MCP session was ended before its time.",
    ),
    short(
        "account_token.ended",
        ACCOUNT_TOKEN,
        "An account token was ended before its time.",
    ),
    lasting(
        "member.created",
        MEMBER,
        "The first owner of the dashboard was created.",
    ),
    lasting(
        "member.invited",
        MEMBER,
        "A member was invited to the dashboard.",
    ),
    lasting(
        "member.joined",
        MEMBER,
        "A member followed the invitation and has a password.",
    ),
    lasting(
        "member.changed",
        MEMBER,
        "A member's name or role was changed.",
    ),
    lasting(
        "member.disabled",
        MEMBER,
        "A member was kept out of the dashboard; open sessions ended.",
    ),
    lasting("member.enabled", MEMBER, "A member may sign in again."),
    lasting(
        "member.deleted",
        MEMBER,
        "A member was deleted; open sessions ended.",
    ),
    lasting(
        "member.reset",
        MEMBER,
        "A member's password was removed, and a link was made that sets another one.",
    ),
    lasting(
        "member.password_changed",
        MEMBER,
        "A member has another password; other sessions ended.",
    ),
    lasting(
        "member.second_factor_added",
        MEMBER,
        "A member signs in with a one-time code too.",
    ),
    lasting(
        "member.second_factor_removed",
        MEMBER,
        "A member signs in without a one-time code.",
    ),
    lasting(
        "member.signed_in",
        MEMBER,
        "A member signed in to the dashboard.",
    ),
    lasting(
        "member.signed_out",
        MEMBER,
        "A member signed out of the dashboard.",
    ),
];
