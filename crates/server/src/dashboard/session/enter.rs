//! Lets a member pass who is signed in, and sends others to the page where that is done.

use axum::{body::Body, extract::Request};
use http::{HeaderMap, HeaderValue, Method};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::{ExposeSecret as _, SecretString};
use stead::{
    Error, ErrorKind,
    core::{access::StartedSession, environment::Environment},
};

use super::{SignedIn, cookie::Cookie, local, machine::is_on_this_machine};
use crate::{
    connect::same_origin,
    dashboard::form::{Form, LIMIT},
    extract::collect,
    options::DashboardAccess,
};

/// How members and their browsers know each other again.
#[derive(Debug)]
pub(crate) struct Sessions {
    environment: Environment,
    access: DashboardAccess,
    cookie: Cookie,
    attempt: Cookie,
    device: Cookie,
}

/// What becomes of a request.
pub(crate) enum Entry {
    /// A member sent it. A new session has its cookie.
    SignedIn {
        request: Box<Request>,
        member: Box<SignedIn>,
        cookie: Option<HeaderValue>,
    },
    /// No one is signed in: where the browser goes instead.
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

    /// Who sent this request. What is not only read has to come from one of the member's own pages, as the browser says,
    /// and as the token in the form does, which no other site can read.
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

    /// Refuses what another site sent, unless it is only read.
    ///
    /// # Errors
    /// [`ErrorKind::OriginRejected`].
    pub(crate) fn check_origin(&self, request: &Request) -> Result<(), Error> {
        match is_safe(request.method()) {
            true => Ok(()),
            false => same_origin::check(&self.environment, request.headers()),
        }
    }

    /// The id of the session that the browser has, whatever it opens.
    pub(crate) fn id(&self, headers: &HeaderMap) -> Option<SecretString> {
        self.cookie.read(headers)
    }

    /// The cookie of a session that has begun. Its id is new, so that no one can have known it before.
    pub(crate) fn begin(&self, started: &StartedSession) -> Option<HeaderValue> {
        self.cookie.begin(&started.id)
    }

    /// The cookie that ends a session's.
    pub(crate) fn end(&self) -> Option<HeaderValue> {
        self.cookie.end()
    }

    /// The cookies of a member who has signed in: that of the session, and the one by which the browser is known next time.
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

    /// What the browser keeps of an earlier sign-in.
    pub(crate) fn device(&self, headers: &HeaderMap) -> Option<SecretString> {
        self.device.read(headers)
    }

    /// What the browser keeps on its way to the provider and back.
    pub(crate) fn attempt(&self, headers: &HeaderMap) -> Option<SecretString> {
        self.attempt.read(headers)
    }

    /// The cookie that binds the browser on that way.
    pub(crate) fn begin_attempt(&self, value: &SecretString) -> Option<HeaderValue> {
        self.attempt.begin(value)
    }

    /// The cookie that ends it.
    pub(crate) fn end_attempt(&self) -> Option<HeaderValue> {
        self.attempt.end()
    }

    /// The member whose session this is; none where it is not good.
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

    /// Whether whoever sits at this machine needs no password.
    fn opens_to(&self, request: &Request) -> bool {
        self.access == DashboardAccess::SignedInOnLoopback && is_on_this_machine(request)
    }

    /// The same request, where its form has the token of the member's session.
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

/// Where to sign in; what was only read is where the browser goes on afterwards.
fn sign_in_page(request: &Request) -> String {
    let asked = request.uri().path_and_query().map(|asked| asked.as_str());
    let next = local(asked.filter(|_| is_safe(request.method())));
    let next = utf8_percent_encode(next, NON_ALPHANUMERIC);
    format!("/dashboard/sign-in?next={next}")
}
