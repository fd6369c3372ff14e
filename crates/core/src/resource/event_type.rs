//! The table of the types of events.

/// A type of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventType {
    /// Its name.
    pub name: &'static str,
    /// When such an event happens.
    pub when: &'static str,
    /// Members of its `data`. All except `connection_name` and `identifier` can be absent.
    pub data: &'static [&'static str],
    /// Whether Stead keeps it for only 24 hours, because it's frequent and the next one replaces it.
    pub short_lived: bool,
}

impl EventType {
    /// The type with this name.
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

/// All types of events.
pub static EVENT_TYPES: &[EventType] = &[
    lasting(
        "approval.requested",
        APPROVAL,
        "A call waits for a person's approval. `GET /v1/approvals/{approval_id}` returns its exact arguments.",
    ),
    lasting(
        "approval.approved",
        APPROVAL,
        "A person approved the call. It can be made once, until the approval expires.",
    ),
    lasting("approval.denied", APPROVAL, "A person denied the call."),
    lasting("approval.used", APPROVAL, "The approved call was made."),
    lasting(
        "approval.expired",
        APPROVAL,
        "The approval expired before the call was made.",
    ),
    lasting(
        "account.created",
        ACCOUNT,
        "A link was created for a user who has no account, or whose account is disconnected.",
    ),
    lasting(
        "account.verification_required",
        ACCOUNT,
        "The user came back from the product. The application needs to confirm who it was.",
    ),
    lasting(
        "account.verification_failed",
        ACCOUNT,
        "The authorization that the account was waiting for failed.",
    ),
    lasting(
        "account.activated",
        ACCOUNT,
        "The account is connected and can be used.",
    ),
    lasting(
        "account.reauthorized",
        ACCOUNT,
        "The user authorized again. New tokens replaced the old ones.",
    ),
    lasting(
        "account.imported",
        ACCOUNT,
        "The account was imported with tokens from another platform.",
    ),
    lasting(
        "account.needs_reauthorization",
        ACCOUNT,
        "The account's tokens no longer work, and `reason` says why. The user needs to open a new link.",
    ),
    lasting(
        "account.suspended",
        ACCOUNT,
        "The application or the operator suspended the account.",
    ),
    lasting("account.resumed", ACCOUNT, "The account was resumed."),
    lasting(
        "account.disconnected",
        ACCOUNT,
        "The account was disconnected and its credentials were destroyed.",
    ),
    lasting(
        "account.deleted",
        ACCOUNT,
        "The account was deleted together with its connection.",
    ),
    lasting(
        "account.erased",
        ERASURE,
        "The user was erased. `identifier` is the pseudonym that replaces the user in all events of the account.",
    ),
    short(
        "account.refreshed",
        REFRESH,
        "A refresh brought new tokens. Nothing else changed.",
    ),
    short(
        "account.refresh_failed",
        REFRESH,
        "Another refresh in a row failed for a temporary reason.",
    ),
    lasting(
        "account.refresh_degraded",
        ACCOUNT,
        "A first refresh failed for a temporary reason. The account works until its access token expires.",
    ),
    lasting(
        "account.reauthorization_due",
        ACCOUNT,
        "The product's refresh token expires within three days, so the user needs to authorize again. `reauthorize_by` of the account says when. This event is sent once, with a refresh.",
    ),
    lasting(
        "account.recovered",
        ACCOUNT,
        "A refresh succeeded after earlier ones had failed.",
    ),
    lasting(
        "account.credential_adopted",
        ACCOUNT,
        "Newer tokens than the current ones were found in the store and replaced them.",
    ),
    lasting(
        "account.revoked_at_product",
        REVOCATION,
        "The product confirmed that it revoked the grant.",
    ),
    lasting(
        "account.revocation_failed",
        REVOCATION,
        "The product didn't revoke the grant. `outcome` is `failed` after the last attempt, or `unsupported`.",
    ),
    lasting(
        "account.revocation_dropped",
        REVOCATION,
        "Nothing was left to revoke at the product.",
    ),
    lasting(
        "authorization.created",
        AUTHORIZATION,
        "A link was created.",
    ),
    lasting(
        "authorization.redirected",
        AUTHORIZATION,
        "The user opened the link and was redirected to the product.",
    ),
    lasting(
        "authorization.returned",
        AUTHORIZATION,
        "The browser came back from the product.",
    ),
    lasting(
        "authorization.verifying",
        AUTHORIZATION,
        "The code was exchanged. The tokens can't be used until the application confirms the user.",
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
        "The authorization failed, and `reason` says why.",
    ),
    short(
        "authorization.expired",
        AUTHORIZATION,
        "A link expired before anyone opened it.",
    ),
    lasting(
        "authorization.superseded",
        AUTHORIZATION,
        "A newer authorization of the account replaced it.",
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
        "A connection was deleted, together with its disconnected accounts.",
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
        "A webhook was disabled, because it responded 410 (`gone`) or every delivery failed for 5 days (`failing`).",
    ),
    lasting("webhook.deleted", WEBHOOK, "A webhook was deleted."),
    lasting(
        "connection.credentials_accepted",
        CONNECTION,
        "The product accepts the connection's client ID and secret again.",
    ),
    lasting(
        "connection.credentials_rejected",
        CONNECTION,
        "The product refuses the connection's client ID or secret. Its developer needs to fix it.",
    ),
    lasting(
        "key.added",
        KEY,
        "The operator added a data key. Nothing is encrypted with it yet.",
    ),
    lasting(
        "key.activated",
        KEY,
        "A data key became active. Stead encrypts new data with it instead of the previous one.",
    ),
    lasting(
        "key.rewrapped",
        KEY,
        "A data key was encrypted with a different key of the operator's key ring.",
    ),
    lasting(
        "key.reencrypted",
        &["key_id", "rows", "left"],
        "Rows were re-encrypted with the active data key.",
    ),
    lasting("key.retired", KEY, "A data key was destroyed."),
    lasting(
        "app_credential.created",
        APP_CREDENTIAL,
        "An application's credential was created.",
    ),
    lasting(
        "app_credential.changed",
        APP_CREDENTIAL,
        "The credential's name, scopes or rate limit was changed.",
    ),
    lasting(
        "app_credential.rotated",
        APP_CREDENTIAL,
        "The credential got a new secret.",
    ),
    lasting(
        "app_credential.secret_revoked",
        APP_CREDENTIAL,
        "One of the credential's secrets was revoked, together with its tokens.",
    ),
    lasting(
        "app_credential.revoked",
        APP_CREDENTIAL,
        "The credential was revoked, together with its secrets and tokens.",
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
        "A policy was created, or its rules were replaced.",
    ),
    lasting("policy.deleted", POLICY, "A policy was deleted."),
    short(
        "mcp_session.ended",
        MCP_SESSION,
        "An MCP session was revoked before it expired.",
    ),
    short(
        "account_token.ended",
        ACCOUNT_TOKEN,
        "An account token was revoked before it expired.",
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
        "A member accepted the invitation and set a password.",
    ),
    lasting(
        "member.changed",
        MEMBER,
        "A member's name or role was changed.",
    ),
    lasting(
        "member.disabled",
        MEMBER,
        "A member was disabled and signed out of all sessions.",
    ),
    lasting(
        "member.enabled",
        MEMBER,
        "A member was enabled and can sign in again.",
    ),
    lasting(
        "member.deleted",
        MEMBER,
        "A member was deleted and signed out of all sessions.",
    ),
    lasting(
        "member.reset",
        MEMBER,
        "A member's password was removed, and a link to set a new one was created.",
    ),
    lasting(
        "member.password_changed",
        MEMBER,
        "A member changed the password. Other sessions were signed out.",
    ),
    lasting(
        "member.second_factor_added",
        MEMBER,
        "A member turned on one-time codes for sign-in.",
    ),
    lasting(
        "member.second_factor_removed",
        MEMBER,
        "A member turned off one-time codes for sign-in.",
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
