//! The base of every page: checks who opens it, and turns results and errors into pages.

use std::sync::Arc;

use axum::{
    extract::{FromRequestParts, Request, State},
    middleware::{Next, from_fn_with_state},
    response::Response,
};
use http::{HeaderValue, StatusCode, header, request::Parts};
use minijinja::{Value, context};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use stead::{Error, ErrorKind};
use stead_core::{caller::Caller, environment::Environment};

use super::{
    done::{self, Done},
    live::Live,
    renderer::{Renderer, Theme},
    session::{Entry, Role, Sessions, SignedIn},
    words,
};
use crate::{
    admission::Rates,
    brand::Brand,
    caller::Connection,
    options::{SandboxControl, ServerOptions, Trial},
    problem::{self, Problem},
    request_id::{RequestId, in_request},
    routes::Endpoint,
};

/// The callers who can open a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) enum Door {
    /// A member of the team that runs this environment.
    #[serde(rename = "dashboard")]
    Members,
    /// A person who wants to sign in.
    #[serde(rename = "browser")]
    SignIn,
}

/// The state that the dashboard's pages share.
#[derive(Debug)]
pub(crate) struct Dashboard {
    environment: Environment,
    renderer: Renderer,
    sessions: Sessions,
    trial: Option<Trial>,
    brand: Brand,
    live: Arc<Live>,
    sandbox: Option<Arc<dyn SandboxControl>>,
    rates: Arc<Rates>,
}

impl Dashboard {
    pub(crate) fn new(
        environment: &Environment,
        options: &ServerOptions,
        rates: Arc<Rates>,
    ) -> Self {
        let dashboard = &options.dashboard;
        Self {
            environment: environment.clone(),
            renderer: Renderer::new(environment, dashboard.sandbox.is_some()),
            sessions: Sessions::new(environment, dashboard.access),
            trial: dashboard.trial.clone(),
            brand: options.brand.clone(),
            live: Live::new(environment),
            sandbox: dashboard.sandbox.clone(),
            rates,
        }
    }

    /// A page with a door in front of it.
    pub(crate) fn behind(self: &Arc<Self>, door: Door, page: Endpoint) -> Endpoint {
        let state = Arc::clone(self);
        match door {
            Door::Members => page.layer(from_fn_with_state(state, enter)),
            Door::SignIn => page.layer(from_fn_with_state(state, open)),
        }
    }

    /// An error as a page.
    fn problem(&self, error: &Error, id: RequestId, frame: &Frame) -> Response {
        problem::report(error);
        let context = context! {
            summary => error.kind().summary(),
            message => error.message(),
            kind => error.kind().name(),
            act_by => words::act_by(error.act_by()),
            request_id => id.to_string(),
        };
        let status = problem::status(error.kind());
        let mut response = self.render(status, "problem.html", frame, context);
        if let Some(seconds) = problem::retry_after(error) {
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }

    fn render(&self, status: StatusCode, name: &str, frame: &Frame, context: Value) -> Response {
        let member = frame.member.as_ref().map(|member| {
            context! {
                name => member.name.as_str(),
                email => member.email.as_str(),
                role => member.role.name(),
                // Those that the member's role includes.
                roles => Role::ALL.into_iter().filter(|role| *role <= member.role).map(Role::name).collect::<Vec<_>>(),
                may_act => member.role >= Role::Operator,
                is_owner => member.role == Role::Owner,
            }
        });
        let context = context! {
            member => member,
            csrf => frame.member.as_ref().map(|member| member.csrf.as_str()),
            // The page that asks for a step-up before the form, if the member needs one.
            step_up => frame.member.as_ref().filter(|member| !member.stepped_up).map(|_| confirm(&frame.path)),
            path => frame.path.as_str(),
            theme => frame.theme.name(),
            template => name,
            done => frame.done.map(Done::sentence),
            ..context
        };
        self.renderer.page(status, name, &context)
    }
}

/// Everything around the content of a page.
#[derive(Debug, Clone)]
struct Frame {
    member: Option<SignedIn>,
    path: String,
    theme: Theme,
    /// The notice about the previous action.
    done: Option<Done>,
    /// The source of the request, for counting attempts to sign in.
    source: String,
}

/// The layer around all of the dashboard's routes for members. Lets signed-in members pass, rejects forms from other
/// sites, and shows problems as pages.
async fn enter(
    State(dashboard): State<Arc<Dashboard>>,
    id: RequestId,
    request: Request,
    next: Next,
) -> Response {
    let mut frame = dashboard.frame(&request);
    let (request, member, cookie) = match dashboard.sessions.enter(request).await {
        Ok(Entry::SignedIn {
            request,
            member,
            cookie,
        }) => (*request, *member, cookie),
        Ok(Entry::SignInFirst(to)) => return dashboard.renderer.redirect(&to),
        Err(error) => return dashboard.problem(&error, id, &frame),
    };
    if let Some(connection) = request.extensions().get::<Connection>() {
        connection.is_known();
    }
    frame.member = Some(member.clone());
    let environment = dashboard.environment.acting_as(member.caller.clone());
    let environment = in_request(environment, request.extensions());
    let mut response = dashboard
        .handle(request, next, id, frame, environment)
        .await;
    if let Some(cookie) = cookie {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// The layer around the sign-in pages. Rejects forms from other sites, and shows problems as pages.
async fn open(
    State(dashboard): State<Arc<Dashboard>>,
    id: RequestId,
    request: Request,
    next: Next,
) -> Response {
    let frame = dashboard.frame(&request);
    if let Err(error) = dashboard.sessions.check_origin(&request) {
        return dashboard.problem(&error, id, &frame);
    }
    let environment = dashboard.environment.acting_as(Caller::User);
    dashboard
        .handle(request, next, id, frame, environment)
        .await
}

impl Dashboard {
    fn frame(&self, request: &Request) -> Frame {
        Frame {
            member: None,
            path: request.uri().path().to_owned(),
            theme: Theme::of(request.headers()),
            done: None,
            source: self.rates.source(request.extensions(), request.headers()),
        }
    }

    async fn handle(
        self: &Arc<Self>,
        mut request: Request,
        next: Next,
        id: RequestId,
        mut frame: Frame,
        environment: Environment,
    ) -> Response {
        frame.done = done::take(&mut request);
        let extensions = request.extensions_mut();
        if let Some(member) = &frame.member {
            extensions.insert(member.clone());
        }
        extensions.insert(environment.clone());
        extensions.insert(Page {
            environment,
            dashboard: Arc::clone(self),
            frame: frame.clone(),
        });
        let mut response = next.run(request).await;
        match response.extensions_mut().remove() {
            Some(Problem { error, .. }) => {
                let mut page = self.problem(&error, id, &frame);
                let cookies = response.headers().get_all(header::SET_COOKIE).into_iter();
                let cookies = cookies.map(|cookie| (header::SET_COOKIE, cookie.clone()));
                page.headers_mut().extend(cookies);
                page
            }
            None => response,
        }
    }
}

/// The page that a handler creates.
#[derive(Debug, Clone)]
pub(super) struct Page {
    /// The environment, acting as the member.
    pub(super) environment: Environment,
    dashboard: Arc<Dashboard>,
    frame: Frame,
}

impl Page {
    /// A page of this template.
    pub(super) fn render(&self, name: &str, context: Value) -> Response {
        self.render_with(StatusCode::OK, name, context)
    }

    /// The same with a different status.
    pub(super) fn render_with(&self, status: StatusCode, name: &str, context: Value) -> Response {
        self.dashboard.render(status, name, &self.frame, context)
    }

    /// Redirects the browser to an address, always with GET. A path is one of the dashboard.
    pub(super) fn redirect(&self, to: &str) -> Response {
        self.dashboard.renderer.redirect(to)
    }

    /// The same, with a notice about the action.
    pub(super) fn redirect_done(&self, path: &str, done: Done) -> Response {
        self.redirect(&done::with_done(path, done))
    }

    /// The same, with cookies.
    pub(super) fn redirect_with(
        &self,
        to: &str,
        cookies: impl IntoIterator<Item = HeaderValue>,
    ) -> Response {
        let mut response = self.redirect(to);
        for cookie in cookies {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        response
    }

    /// Redirects the browser to the page that asks members to prove who they are, and from there to `next`.
    pub(super) fn step_up_first(&self, next: &str) -> Response {
        self.redirect(&format!("/dashboard{}", confirm(next)))
    }

    /// A part of a page, for example rows that arrive later.
    pub(super) fn part(&self, name: &str, context: &Value) -> String {
        self.dashboard.renderer.part(name, context)
    }

    /// The source of live updates.
    pub(super) fn live(&self) -> &Arc<Live> {
        &self.dashboard.live
    }

    /// How browsers keep sessions.
    pub(super) fn sessions(&self) -> &Sessions {
        &self.dashboard.sessions
    }

    /// The source of the request, for counting attempts to sign in. Empty if unknown.
    pub(super) fn source(&self) -> &str {
        &self.frame.source
    }

    /// The role of the signed-in member.
    pub(super) fn role(&self) -> Option<Role> {
        self.frame.member.as_ref().map(|member| member.role)
    }

    /// Whether this is the signed-in member's ID.
    pub(super) fn is_own(&self, member_id: &str) -> bool {
        let member = self.frame.member.as_ref();
        member.is_some_and(|member| member.member_id.to_string() == member_id)
    }

    /// The brand that end users see on their pages.
    pub(super) fn brand(&self) -> &Brand {
        &self.dashboard.brand
    }

    /// The things to try, if the environment is for trying Stead.
    pub(super) fn trial(&self) -> Option<&Trial> {
        self.dashboard.trial.as_ref()
    }

    /// The sandbox that plays the products, if there is one.
    pub(super) fn sandbox(&self) -> Option<&dyn SandboxControl> {
        self.dashboard.sandbox.as_deref()
    }
}

/// The page that asks for a step-up and leads to `next`, below the dashboard.
fn confirm(next: &str) -> String {
    let next = utf8_percent_encode(next, NON_ALPHANUMERIC);
    format!("/confirm?next={next}")
}

/// Only available behind [`enter`] and [`open`].
impl<S: Sync> FromRequestParts<S> for Page {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let page = parts.extensions.get::<Self>().cloned();
        page.ok_or_else(|| Error::new(ErrorKind::Internal, "a page outside the dashboard").into())
    }
}
