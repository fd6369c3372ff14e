//! A handle to one user's account at one connection.

use std::{fmt, future::IntoFuture, iter, time::Duration};

use http::Method;
use serde_json::Value;
use stead_core::{
    Result,
    identifier::AccountTokenId,
    ports::BoxFuture,
    resource::{
        self, AccountToken, DeleteAccountToken, DisconnectAccount, Disconnection, ExecuteRequest,
        IssuedAccountToken, ListAccountTokens, NewAccountToken, NewAuthorizationLink, ProxyRequest,
        ReadAccount, RefreshAccount, ResumeAccount, SuspendAccount, TokenAccess, TokensOfAccount,
    },
    tool::Tool,
};

use super::{authorize::Authorize, execute::Execute, list::List, request::Request};
use crate::backend::{Backend, User};

/// A handle to one user's account at one connection. It only names the account, which may not exist yet.
///
/// ```
/// # #[cfg(all(feature = "platform", feature = "reqwest", feature = "mail"))]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> stead::Result<()> {
/// use stead::{NewConnection, Platform, mail::FetchMails};
/// # let stead = Platform::builder("https://stead.example.com").ephemeral_key().in_memory().build().await?;
/// # stead.connections().create(NewConnection::mail("mail").client("id", "secret")).await?;
///
/// let ada = stead.account("mail", "user-42")?;
/// let unread = FetchMails::query("is:unread");
/// match ada.call(&unread).idempotency_key("job-7").await {
///     Ok(execution) => println!("{} unread", execution.output()?.messages.len()),
///     // The user has not authorized yet: show a link.
///     Err(error) if error.needs_user() => {
///         let link = ada.authorize().verify_url("https://app.example.com/connected").await?;
///         assert!(link.link.starts_with("https://stead.example.com/connect/"));
///     }
///     Err(error) => return Err(error),
/// }
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "platform", feature = "reqwest", feature = "mail")))]
/// # fn main() {}
/// ```
///
/// | To | use |
/// |---|---|
/// | connect the user | [`authorize`](Self::authorize) |
/// | call a tool, typed | [`call`](Self::call) |
/// | call a tool by name | [`execute`](Self::execute) |
/// | send any request to the product | [`get`](Self::get), [`request`](Self::request) |
/// | let a program use the proxy for this account only | [`token`](Self::token), [`tokens`](Self::tokens), [`end_token`](Self::end_token) |
/// | see the account and its state | [`read`](Self::read) |
/// | renew its token now | [`refresh`](Self::refresh) |
/// | pause it, and end the pause | [`suspend`](Self::suspend), [`resume`](Self::resume) |
/// | end it, and forget the user | [`disconnect`](Self::disconnect) |
#[derive(Clone)]
pub struct Account {
    backend: Backend,
    user: User,
}

impl Account {
    pub(crate) fn new(backend: Backend, user: User) -> Self {
        Self { backend, user }
    }
    /// Name of the connection.
    pub fn connection_name(&self) -> &str {
        self.user.connection_name.as_str()
    }
    /// Your application's own ID of the user.
    pub fn identifier(&self) -> &str {
        self.user.identifier.as_str()
    }

    /// Creates a link that the user opens to connect this account, or to grant more access. Show it only to this user:
    /// it works once, for ten minutes by default.
    pub fn authorize(&self) -> Authorize {
        let new = NewAuthorizationLink::new(self.connection_name(), self.identifier());
        Authorize::new(self.backend.clone(), new)
    }

    /// Calls a tool by its struct, in the version that this program was compiled with.
    pub fn call<T: Tool>(&self, tool: &T) -> Execute<T::Output> {
        let backend = self.backend.clone();
        Execute::typed(backend, self.connection_name(), self.identifier(), tool)
    }

    /// Calls a tool by name. `input` is an object.
    pub fn execute(&self, tool: impl Into<String>, input: Value) -> Execute {
        let request = ExecuteRequest::new(self.connection_name(), self.identifier(), input);
        Execute::new(self.backend.clone(), tool, request)
    }

    /// Sends a GET to a path of the product's API, such as `/gmail/v1/users/me/profile`.
    pub fn get(&self, path: impl Into<String>) -> Request {
        self.request(Method::GET, path)
    }

    /// Sends a request to a path of the product's API.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "methods are constants, and given as such"
    )]
    pub fn request(&self, method: Method, path: impl Into<String>) -> Request {
        let request = ProxyRequest::new(
            self.connection_name(),
            self.identifier(),
            method.as_str(),
            path,
        );
        Request::new(self.backend.clone(), request)
    }

    /// Creates a bearer token that works only at the proxy, and only for this account. Give it to an SDK or an agent's
    /// process instead of your application's own token. It lasts 60 seconds to 24 hours, and stops working if the
    /// account is disconnected.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) if `lives_for` is shorter or longer. The errors
    /// of a call if the account can't be called now.
    pub async fn token(
        &self,
        access: TokenAccess,
        lives_for: Duration,
    ) -> Result<IssuedAccountToken> {
        self.token_with(iter::empty::<String>(), access, lives_for)
            .await
    }

    /// Creates a token that also works for the user's accounts at other connections, each of another product. Use it
    /// for an SDK that calls several APIs with one credential.
    ///
    /// # Errors
    /// As [`token`](Self::token). [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for two connections
    /// of one product.
    pub async fn token_with<C: Into<String>>(
        &self,
        others: impl IntoIterator<Item = C>,
        access: TokenAccess,
        lives_for: Duration,
    ) -> Result<IssuedAccountToken> {
        // A duration that doesn't fit is too long anyway.
        let expires_in = u32::try_from(lives_for.as_secs()).unwrap_or(u32::MAX);
        let new = NewAccountToken::new(self.connection_name(), self.identifier(), access)
            .connections(others)
            .expires_in(expires_in);
        self.backend.send(new).await
    }

    /// This account's tokens that are still valid.
    pub fn tokens(&self) -> List<AccountToken> {
        let of = TokensOfAccount::new(self.connection_name(), self.identifier());
        List::of(self.backend.clone(), ListAccountTokens::new().of(of))
    }

    /// Revokes a token before it expires.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    pub async fn end_token(&self, token_id: AccountTokenId) -> Result<()> {
        self.backend.send(DeleteAccountToken::new(token_id)).await
    }

    /// The account and its state.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownConnection`](crate::ErrorKind::UnknownConnection),
    /// [`ErrorKind::AccountNotFound`](crate::ErrorKind::AccountNotFound) before the first link.
    pub async fn read(&self) -> Result<resource::Account> {
        let User {
            connection_name,
            identifier,
        } = &self.user;
        let read = ReadAccount::new(connection_name, identifier);
        self.backend.send(read).await
    }

    /// Refreshes the access token now. You rarely need this, because calls refresh it automatically.
    ///
    /// # Errors
    /// As a call.
    pub async fn refresh(&self) -> Result<resource::Account> {
        let User {
            connection_name,
            identifier,
        } = &self.user;
        let refresh = RefreshAccount::new(connection_name, identifier);
        self.backend.send(refresh).await
    }

    /// Pauses the account. Calls are refused, and its credential is kept.
    ///
    /// # Errors
    /// As [`Account::read`]; [`ErrorKind::InvalidTransition`](crate::ErrorKind::InvalidTransition) for a disconnected
    /// account.
    pub async fn suspend(&self) -> Result<resource::Account> {
        let User {
            connection_name,
            identifier,
        } = &self.user;
        let suspend = SuspendAccount::new(connection_name, identifier);
        self.backend.send(suspend).await
    }

    /// Resumes a suspended account.
    ///
    /// # Errors
    /// As [`Account::read`]; [`ErrorKind::InvalidTransition`](crate::ErrorKind::InvalidTransition) if it isn't
    /// suspended.
    pub async fn resume(&self) -> Result<resource::Account> {
        let User {
            connection_name,
            identifier,
        } = &self.user;
        let resume = ResumeAccount::new(connection_name, identifier);
        self.backend.send(resume).await
    }

    /// Disconnects the account when you await it, and shreds its credential. By default, the grant at the product, the
    /// account's row and its history stay. To remove them too, use [`Disconnect::revoke_at_product`] and
    /// [`Disconnect::erase`].
    pub fn disconnect(&self) -> Disconnect {
        Disconnect {
            account: self.clone(),
            how: Disconnection::new(),
        }
    }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account")
            .field("connection_name", &self.connection_name())
            .field("identifier", &self.identifier())
            .finish_non_exhaustive()
    }
}

/// A disconnection that hasn't started yet. Await it to disconnect the account. The result says what happens to the
/// grant at the product.
///
/// # Errors
/// As [`Account::read`].
#[derive(Debug)]
#[must_use = "an account is disconnected when this is awaited"]
pub struct Disconnect {
    account: Account,
    how: Disconnection,
}

impl Disconnect {
    /// Also revokes the grant at the product. If the product doesn't respond, Stead asks again later. Google revokes
    /// everything that this user granted to your project.
    pub fn revoke_at_product(mut self, revoke: bool) -> Self {
        self.how = self.how.revoke_at_product(revoke);
        self
    }

    /// Removes everything that names the user. The account and its links are deleted, and a pseudonym replaces the
    /// identifier in events and in the history of calls. A new link creates a new account. Backups aren't changed.
    pub fn erase(mut self, erase: bool) -> Self {
        self.how = self.how.erase(erase);
        self
    }

    /// Changes nothing, and reports what would be disconnected. At Google, other accounts may be disconnected with this
    /// one.
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.how = self.how.dry_run(dry_run);
        self
    }
}

impl IntoFuture for Disconnect {
    type Output = Result<resource::Disconnected>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let Account { backend, user } = self.account;
            let disconnect = DisconnectAccount::new(&user.connection_name, &user.identifier);
            backend.send(disconnect.how(self.how)).await
        })
    }
}
