//! Imports accounts with their tokens from another platform.

use jiff::Timestamp;
use secrecy::ExposeSecret as _;
use zeroize::Zeroizing;

use crate::{
    Error, ErrorKind, Result,
    context::{
        Context, TokenSet,
        change::{Change, Shredded},
    },
    digest::Digest,
    domain::{
        Account, AccountRef, Authorization, Connection, Credential, PendingCredential, Subject,
        account::{Imported, Trigger, new_account},
        authorization::{self, End},
        readiness::connection_ready,
        scopes::{asked_scopes, missing_scopes, read_granted},
    },
    error::Violations,
    identifier::AccountId,
    oauth,
    product::{Permissions, Product},
    resource::{
        AccountImport, AccountImportResult, AccountImportResults, AccountWithTokens,
        ExistingAccounts, ImportOutcome,
    },
    sealed::{Sealed, place},
    state::AccountState,
    store::Versioned,
};

/// Maximum number of accounts in an import.
const MOST: usize = 100;
/// Maximum number of authorizations of an account to read.
const SIBLINGS: u32 = 50;

/// Imports accounts one after another. One commit has an account, its credential, its event and its audit entry. An
/// invalid account doesn't affect the others.
pub(crate) async fn create(
    context: &Context,
    import: AccountImport,
) -> Result<AccountImportResults> {
    if import.accounts.len() > MOST {
        let many = format!("expected at most {MOST} accounts in one request");
        return Err(Error::invalid_at("/accounts", many));
    }
    let mut results = Vec::with_capacity(import.accounts.len());
    for account in import.accounts {
        let mut result = AccountImportResult {
            connection_name: account.connection_name.clone(),
            identifier: account.identifier.clone(),
            outcome: ImportOutcome::Refused,
            account_id: None,
            problem: None,
        };
        match import_one(context, account, import.existing, import.dry_run).await {
            Ok((outcome, id)) => {
                result.outcome = outcome;
                result.account_id = id;
            }
            Err(error) if is_about_account(error.kind()) => {
                result.problem = Some(error.to_problem());
            }
            Err(error) => return Err(error),
        }
        results.push(result);
    }
    Ok(AccountImportResults { results })
}

/// Whether the error only affects this account. Any other error would also affect the next account.
fn is_about_account(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::InvalidRequest
            | ErrorKind::UnknownConnection
            | ErrorKind::ConnectionNotReady
            | ErrorKind::AlreadyExists
            | ErrorKind::ProductAccountMismatch
    )
}

/// An account as given in the import.
struct Line {
    of: AccountRef,
    given: AccountWithTokens,
    tokens: TokenSet,
    text: Zeroizing<String>,
    /// ID of the account, if it's new.
    new_id: AccountId,
}

async fn import_one(
    context: &Context,
    given: AccountWithTokens,
    existing: ExistingAccounts,
    dry_run: bool,
) -> Result<(ImportOutcome, Option<AccountId>)> {
    let text = serde_json::to_string(&given).map(Zeroizing::new);
    let text = text.map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))?;
    let line = Line {
        of: AccountRef::new(&given.connection_name, &given.identifier)?,
        tokens: TokenSet::new(
            given.access_token.clone(),
            given.refresh_token.clone(),
            given.expires_at,
        ),
        text,
        new_id: AccountId::from_uuid(context.host.new_id()),
        given,
    };
    if dry_run {
        let loaded = load(context, &line).await?;
        let (_, (outcome, id)) = decide(context, &line, existing, loaded)?;
        return Ok((outcome, id.filter(|id| *id != line.new_id)));
    }
    context
        .detached(move |context| async move {
            context
                .change(
                    "account.import",
                    || load(&context, &line),
                    |loaded| decide(&context, &line, existing, loaded),
                )
                .await
        })
        .await?
}

impl Line {
    /// Digest of the line that an account is imported from, for the connection's current client.
    fn digest(&self, connection: &Connection) -> Digest {
        let text = format!("{} {}", connection.client_epoch, self.text.as_str());
        Digest::of(&Zeroizing::new(text))
    }
}

struct Loaded {
    connection: Versioned<Connection>,
    /// The account, or a new one if there is none.
    account: Account,
    version: Option<u64>,
    /// Its authorizations that wait to be confirmed.
    authorizations: Vec<Versioned<Authorization>>,
    credentials: Vec<Shredded>,
    sealed: Sealed<place::Tokens>,
}

async fn load(context: &Context, line: &Line) -> Result<Loaded> {
    let connection = context.existing_connection(&line.of.connection).await?;
    let found = context
        .store
        .account_of(connection.row.id, &line.of.identifier)
        .await?;
    let (account, version) = match found {
        Some(found) => (found.row, Some(found.version)),
        None => {
            let identifier = line.of.identifier.clone();
            identifier.check_new()?;
            let now = context.host.now();
            let account = new_account(line.new_id, connection.row.id, identifier, now);
            (account, None)
        }
    };
    let (mut authorizations, mut credentials) = (Vec::new(), Vec::new());
    if version.is_some() {
        authorizations = context.store.authorizations(account.id, SIBLINGS).await?;
        authorizations.retain(|one| one.row.is_verifying());
        let all = context.store.credentials(account.id).await?.into_iter();
        let live = all.filter(|credential| credential.row.sealed.is_some());
        credentials.extend(live.map(|credential| (credential, None)));
    }
    let tokens = line.tokens.clone().of_client(connection.row.client_epoch);
    let generation = account.last_generation + 1;
    Ok(Loaded {
        sealed: tokens.seal(&context.store.vault, &account, generation)?,
        connection,
        account,
        version,
        authorizations,
        credentials,
    })
}

fn decide(
    context: &Context,
    line: &Line,
    existing: ExistingAccounts,
    loaded: Loaded,
) -> Result<(Change, (ImportOutcome, Option<AccountId>))> {
    let Loaded {
        connection,
        account,
        version,
        authorizations,
        credentials,
        sealed,
    } = loaded;
    let (now, digest) = (context.host.now(), line.digest(&connection.row));
    // Check this first, because values that were valid at the first import may have expired since.
    if account.imported.as_ref() == Some(&digest) {
        return Ok((Change::none(), (ImportOutcome::Unchanged, Some(account.id))));
    }
    connection_ready(&connection.row)?;
    let credential = read(
        context,
        &connection.row,
        &account,
        &line.given,
        &line.tokens,
    )?;
    let mut outcome = ImportOutcome::Created;
    if version.is_some() {
        match existing {
            ExistingAccounts::Refuse => return Err(exists(account.through(&connection.row).state)),
            ExistingAccounts::Skip => {
                return Ok((Change::none(), (ImportOutcome::Skipped, Some(account.id))));
            }
            ExistingAccounts::Replace => {}
        }
        account.same_subject(&credential, false)?;
        outcome = ImportOutcome::Replaced;
    }
    let imported = Imported {
        suspended: line.given.state.as_deref() == Some("suspended"),
        line: digest,
        credential,
    };
    let Some((next, event)) = account.on(Trigger::Imported(&imported), now)? else {
        return Ok((Change::none(), (ImportOutcome::Unchanged, Some(account.id))));
    };
    let credential = Credential {
        account_id: account.id,
        generation: next.generation,
        sealed: Some(sealed),
        pending_for: None,
        client_epoch: next.client_epoch,
        sent_at: None,
        created_at: now,
        extra: Default::default(),
    };
    let mut change = Change::none()
        .guard(connection.row.id, connection.version)
        .audit(next.audit("account.imported", &connection.row.name))
        .insert(credential)
        .shred(credentials);
    for Versioned { row, version, .. } in authorizations {
        let ended = authorization::Trigger::Ended(End::Superseded, "tokens were imported".into());
        change = change.authorization(row.on(ended, now)?, version);
    }
    change = match version {
        Some(version) => change.account(Some((next, event)), account.state, version),
        None => change.insert_account(next, "account.imported"),
    };
    Ok((change, (outcome, Some(account.id))))
}

fn exists(state: AccountState) -> Error {
    Error::new(
        ErrorKind::AlreadyExists,
        format!(
            "this user already has an account, which is {}; choose whether existing accounts are skipped or replaced",
            state.name()
        ),
    )
}

/// The credential as the account will have it; every place that is wrong is named.
fn read(
    context: &Context,
    connection: &Connection,
    account: &Account,
    given: &AccountWithTokens,
    tokens: &TokenSet,
) -> Result<PendingCredential> {
    let product = context.endpoints_of(connection)?.product;
    let mut wrong = Violations::default();
    // The value may be a token in the wrong place, so the error doesn't repeat it.
    if !matches!(given.state.as_deref(), None | Some("active" | "suspended")) {
        wrong.add("/state", "enum", "expected one of: active, suspended");
    }
    check_tokens(given, tokens, context.host.now(), &mut wrong);
    let asked = asked_scopes(product, connection, None, &[])?;
    let granted = match &given.scopes {
        Some(scopes) => wrong.read(read_granted(product, scopes)),
        None if has_scopes(product) => {
            let missing = "scopes is required; list the scopes that the user granted";
            wrong.add("/scopes", "required", missing);
            None
        }
        None => Some(asked.clone()),
    };
    let subject = who(context, product, connection, given, &mut wrong);
    if !wrong.is_empty() {
        return Err(Error::invalid(wrong.into_list()));
    }
    let granted_scopes = granted.unwrap_or_default();
    Ok(PendingCredential {
        generation: account.last_generation + 1,
        missing_scopes: missing_scopes(product, &asked, &granted_scopes),
        granted_scopes,
        subject,
        client_epoch: connection.client_epoch,
        token_expires_at: given.expires_at,
        reauthorize_by: match given.refresh_token {
            Some(_) => given.refresh_expires_at,
            None => given.expires_at,
        },
    })
}

fn has_scopes(product: &Product) -> bool {
    matches!(product.oauth.permissions, Permissions::Scopes { .. })
}

fn check_tokens(
    given: &AccountWithTokens,
    tokens: &TokenSet,
    now: Timestamp,
    wrong: &mut Violations,
) {
    if given.access_token.expose_secret().trim().is_empty() {
        wrong.add("/access_token", "minLength", "the access token is empty");
    } else if tokens.bearer().is_err() {
        wrong.add(
            "/access_token",
            "format",
            "this token has characters that a header can't contain",
        );
    }
    let refresh = given.refresh_token.as_ref();
    if refresh.is_some_and(|token| token.expose_secret().trim().is_empty()) {
        wrong.add("/refresh_token", "minLength", "the refresh token is empty");
    }
    let ended = |end: Option<Timestamp>| end.is_some_and(|end| end <= now);
    let refreshable = refresh.is_some() && !ended(given.refresh_expires_at);
    if ended(given.expires_at) && !refreshable {
        let dead =
            "the access token has expired and can't be refreshed; create a link for this user";
        wrong.add("/expires_at", "minimum", dead);
    }
}

/// The user at the product, as given or as in the product's token response.
fn who(
    context: &Context,
    product: &Product,
    connection: &Connection,
    given: &AccountWithTokens,
    wrong: &mut Violations,
) -> Option<Subject> {
    for (place, text) in [
        ("/product_user_id", &given.product_user_id),
        ("/product_user", &given.product_user),
    ] {
        if text
            .as_ref()
            .is_some_and(|text| text.is_empty() || text.len() > 512)
        {
            wrong.add(place, "maxLength", "expected 1 to 512 bytes");
        }
    }
    if let Some(id) = &given.product_user_id {
        return Some(Subject {
            id: id.clone(),
            display: given.product_user.clone(),
        });
    }
    let members = given.token_response.as_ref()?;
    match oauth::imported_subject(context, product, connection, members) {
        Ok(subject) => subject,
        Err(why) => {
            let why = format!("this ID token wasn't issued to the connection's client: {why}");
            wrong.add("/token_response/id_token", "format", why);
            None
        }
    }
}

#[cfg(test)]
mod tests;
