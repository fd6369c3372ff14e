//! Admits signed-in members, and sends others to the sign-in page.

use axum::{body::Body, extract::Request};
use http::{HeaderMap, HeaderValue, Method};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::{ExposeSecret as _, SecretString};
use stead::{Error, ErrorKind};
use stead_core::{access::StartedSession, environment::Environment};

use super::{SignedIn, cookie::Cookie, local, machine::is_on_this_machine};
use crate::{
    connect::same_origin,
    dashboard::form::{Form, LIMIT},
    extract::collect,
    options::DashboardAccess,
};

/// Recognizes the members behind requests by their cookies.
#[derive(Debug)]
pub(crate) struct Sessions {
    environment: Environment,
    access: DashboardAccess,
    cookie: Cookie,
    attempt: Cookie,
    device: Cookie,
}

/// The decision on a request.
pub(crate) enum Entry {
    /// A member sent it. A new session has its cookie.
    SignedIn {
        request: Box<Request>,
        member: Box<SignedIn>,
        cookie: Option<HeaderValue>,
    },
    /// No one is signed in. The browser goes to this path instead.
    SignInFirst(String),
}

impl Sessions {
    pub(crate) fn new(environment: &Environment, access: DashboardAccess) -> Self {
        Self {
            environment: environment.clone(),
            access,
            cookie: Cookie::of_session(environment),
            attempt: Cookie::of_attempt(environment),
            device: Cookie::of_device(environment),
        }
    }

    /// Finds the member who sent this request. A write must come from one of the member's own pages: the browser says
    /// so, and the form contains a token that no other site can read.
    ///
    /// # Errors
    /// [`ErrorKind::OriginRejected`] for a form of another site.
    pub(crate) async fn enter(&self, request: Request) -> Result<Entry, Error> {
        self.check_origin(&request)?;
        let id = self.id(request.headers());
        let (member, cookie) = match self.member(id).await? {
            Some(member) => (member, None),
            None if self.opens_to(&request) => {
                let started = self.environment.sign_in_on_this_machine().await?;
                let cookie = self.begin(&started);
                (self.signed_in(started.id).await?, cookie)
            }
            None => return Ok(Entry::SignInFirst(sign_in_page(&request))),
        };
        let request = match is_safe(request.method()) {
            true => request,
            false => self.with_token(request, &member).await?,
        };
        Ok(Entry::SignedIn {
            request: Box::new(request),
            member: Box::new(member),
            cookie,
        })
    }

    /// Rejects a request from another site, unless it only reads.
    ///
    /// # Errors
    /// [`ErrorKind::OriginRejected`].
    pub(crate) fn check_origin(&self, request: &Request) -> Result<(), Error> {
        match is_safe(request.method()) {
            true => Ok(()),
            false => same_origin::check(&self.environment, request.headers()),
        }
    }

    /// The ID of the browser's session, valid or not.
    pub(crate) fn id(&self, headers: &HeaderMap) -> Option<SecretString> {
        self.cookie.read(headers)
    }

    /// The cookie of a new session. Its ID is new too, so no one knows it yet.
    pub(crate) fn begin(&self, started: &StartedSession) -> Option<HeaderValue> {
        self.cookie.begin(&started.id)
    }

    /// Deletes the cookie of a session.
    pub(crate) fn end(&self) -> Option<HeaderValue> {
        self.cookie.end()
    }

    /// The cookies after a sign-in: the session's, and the one that recognizes this browser next time.
    pub(crate) async fn signed_in_with(&self, started: &StartedSession) -> Vec<HeaderValue> {
        let mut cookies = Vec::from_iter(self.begin(started));
        if !started.awaits_code
            && let Ok(device) = self
                .environment
                .known_browser(started.id.expose_secret())
                .await
        {
            cookies.extend(self.device.begin(&device));
        }
        cookies
    }

    /// The cookie of an earlier sign-in with this browser.
    pub(crate) fn device(&self, headers: &HeaderMap) -> Option<SecretString> {
        self.device.read(headers)
    }

    /// The cookie of a sign-in in progress at the provider.
    pub(crate) fn attempt(&self, headers: &HeaderMap) -> Option<SecretString> {
        self.attempt.read(headers)
    }

    /// Sets that cookie.
    pub(crate) fn begin_attempt(&self, value: &SecretString) -> Option<HeaderValue> {
        self.attempt.begin(value)
    }

    /// Deletes that cookie.
    pub(crate) fn end_attempt(&self) -> Option<HeaderValue> {
        self.attempt.end()
    }

    /// The member of this session. `None` if the session isn't valid.
    async fn member(&self, id: Option<SecretString>) -> Result<Option<SignedIn>, Error> {
        let Some(id) = id else {
            return Ok(None);
        };
        match self.signed_in(id).await {
            Ok(member) => Ok(Some(member)),
            Err(error) if error.kind() == ErrorKind::Unauthenticated => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn signed_in(&self, id: SecretString) -> Result<SignedIn, Error> {
        let signed_in = self.environment.signed_in(id.expose_secret()).await?;
        Ok(SignedIn::new(signed_in, id))
    }

    /// Whether someone at this machine needs no password.
    fn opens_to(&self, request: &Request) -> bool {
        self.access == DashboardAccess::SignedInOnLoopback && is_on_this_machine(request)
    }

    /// Returns the request if its form has the token of the member's session.
    async fn with_token(&self, request: Request, member: &SignedIn) -> Result<Request, Error> {
        let (head, body) = request.into_parts();
        let body = collect(body, LIMIT, &self.environment).await?;
        let form = Form::parse(&body);
        if member.sent(form.text("csrf").unwrap_or_default()) {
            return Ok(Request::from_parts(head, Body::from(body)));
        }
        Err(Error::new(
            ErrorKind::OriginRejected,
            "this form is from another session; reload the page and submit it again",
        ))
    }
}

fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// The path of the sign-in page. After a GET, the browser returns to the page it requested.
fn sign_in_page(request: &Request) -> String {
    let asked = request.uri().path_and_query().map(|asked| asked.as_str());
    let next = local(asked.filter(|_| is_safe(request.method())));
    let next = utf8_percent_encode(next, NON_ALPHANUMERIC);
    format!("/dashboard/sign-in?next={next}")
}
