//! What every page stands on: the way in, and what comes back as a page.

use std::sync::Arc;

use axum::{
    extract::{FromRequestParts, Request, State},
    middleware::Next,
    response::Response,
};
use http::{Method, StatusCode, header, request::Parts};
use minijinja::{Value, context};
use stead::{Error, ErrorKind, core::environment::Environment};

use super::{
    renderer::{Renderer, Theme},
    session::{Sessions, SignedIn},
    words,
};
use crate::{
    connect::check_same_origin,
    openapi::Argument,
    options::{ServerOptions, Trial},
    problem::{self, Problem, Result},
    request_id::RequestId,
};

/// What the dashboard's pages share.
#[derive(Debug)]
pub(crate) struct Dashboard {
    environment: Environment,
    renderer: Renderer,
    sessions: Sessions,
    trial: Option<Trial>,
}

impl Dashboard {
    pub(crate) fn new(environment: &Environment, options: &ServerOptions) -> Self {
        Self {
            environment: environment.clone(),
            renderer: Renderer::new(environment),
            sessions: Sessions::new(environment, options.dashboard),
            trial: options.trial.clone(),
        }
    }

    /// An error, in words for whoever sees the page.
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
                may_act => member.role >= super::session::Role::Operator,
            }
        });
        let context = context! {
            member => member,
            csrf => frame.member.as_ref().map(|member| member.csrf.as_str()),
            path => frame.path.as_str(),
            theme => frame.theme.name(),
            ..context
        };
        self.renderer.page(status, name, &context)
    }
}

/// What surrounds the content of a page.
#[derive(Debug, Clone)]
struct Frame {
    member: Option<SignedIn>,
    path: String,
    theme: Theme,
}

/// Around every route of the dashboard: lets members pass, refuses forms of other sites, and shows problems as pages.
pub(crate) async fn enter(
    State(dashboard): State<Arc<Dashboard>>,
    id: RequestId,
    mut request: Request,
    next: Next,
) -> Response {
    let mut frame = Frame {
        member: None,
        path: request.uri().path().to_owned(),
        theme: Theme::of(request.headers()),
    };
    let member = match dashboard.authenticate(&request) {
        Ok(member) => member,
        Err(error) => return dashboard.problem(&error, id, &frame),
    };
    frame.member = Some(member.clone());
    let extensions = request.extensions_mut();
    extensions.insert(dashboard.environment.clone());
    extensions.insert(member);
    extensions.insert(Page {
        environment: dashboard.environment.clone(),
        dashboard: Arc::clone(&dashboard),
        frame: frame.clone(),
    });
    let mut response = next.run(request).await;
    match response.extensions_mut().remove() {
        Some(Problem { error, .. }) => dashboard.problem(&error, id, &frame),
        None => response,
    }
}

impl Dashboard {
    fn authenticate(&self, request: &Request) -> Result<SignedIn, Error> {
        let member = self.sessions.authenticate(request)?;
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            check_same_origin(&self.environment, request.headers())?;
        }
        Ok(member)
    }
}

/// The page that a handler makes.
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
        self.dashboard
            .render(StatusCode::OK, name, &self.frame, context)
    }

    /// Sends the browser to an address, by GET whatever it sent before. A path is one of the dashboard.
    pub(super) fn redirect(&self, to: &str) -> Response {
        self.dashboard.renderer.redirect(to)
    }

    /// What there is to try out, where that is what the environment is for.
    pub(super) fn trial(&self) -> Option<&Trial> {
        self.dashboard.trial.as_ref()
    }
}

/// Only behind [`enter`].
impl<S: Sync> FromRequestParts<S> for Page {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let page = parts.extensions.get::<Self>().cloned();
        page.ok_or_else(|| Error::new(ErrorKind::Internal, "a page outside the dashboard").into())
    }
}

impl Argument for Page {}
