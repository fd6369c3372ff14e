//! An operation of any type: it takes texts and JSON, and returns JSON.

use std::fmt;

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::Value;
use stead::{Error, ErrorKind};
use stead_core::{
    api::{Given, Info, Paging, Run},
    environment::Environment,
    ports::BoxFuture,
    schema::read_body,
    scope::Scopes,
};

use crate::{dashboard::session::Role, extract::Query};

/// Items on a page of a list.
const ITEMS: u32 = 50;

/// An operation of `operations!`.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    pub(super) info: Info,
    /// Schema of the body.
    pub(super) body: fn() -> Value,
    /// Schema of the result.
    pub(super) output: fn() -> Value,
    run: Send,
}

type Send = for<'a> fn(&'a Environment, Request) -> BoxFuture<'a, Result<Answer, Error>>;

/// The members of an operation.
#[derive(Debug)]
pub(super) struct Request {
    /// Values of the path, in order.
    pub(super) path: Vec<String>,
    pub(super) query: Query,
    pub(super) body: Option<Value>,
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) value: Value,
    /// Token of the page that this is, if it isn't the first one.
    pub(super) page_token: Option<String>,
}

impl Operation {
    pub(crate) fn of<O: Run<Environment>>() -> Self {
        Self {
            info: O::INFO,
            body: schema::<O::Body>,
            output: schema::<O::Output>,
            run: |environment, request| Box::pin(run::<O>(environment, request)),
        }
    }

    /// Runs it as the member whose page this is.
    pub(super) async fn run(
        &self,
        environment: &Environment,
        request: Request,
    ) -> Result<Answer, Error> {
        (self.run)(environment, request).await
    }

    /// Runs it on one resource.
    pub(super) async fn run_on(
        &self,
        environment: &Environment,
        path: &[String],
        body: Option<Value>,
    ) -> Result<Value, Error> {
        let request = Request {
            path: path.to_vec(),
            query: Query::of(""),
            body,
        };
        Ok(self.run(environment, request).await?.value)
    }

    /// The least role that has its scope.
    pub(super) fn role(&self) -> Role {
        let may = |role: &Role| match self.info.scope {
            Some(scope) => Scopes::of_role(*role).opens(scope),
            None => true,
        };
        Role::ALL
            .into_iter()
            .filter(may)
            .min()
            .unwrap_or(Role::Owner)
    }

    /// Method and path of its route.
    pub(super) fn route(&self) -> String {
        format!("{} {}", self.info.method, self.info.path)
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.route())
    }
}

async fn run<O: Run<Environment>>(
    environment: &Environment,
    mut request: Request,
) -> Result<Answer, Error> {
    let mut operation = O::read(Given {
        path: request.path,
        query: &mut request.query,
        body: request.body.map(read_body::<O::Body>).transpose()?,
    })?;
    request.query.end()?;
    let page_token = operation.paging().and_then(|paging| {
        *paging = Paging::new(paging.token.as_deref(), paging.size.min(ITEMS));
        paging.token.clone()
    });
    let output = environment.send(operation).await?;
    let value = serde_json::to_value(output).map_err(|error| {
        let message = "the result can't be written as JSON";
        Error::new(ErrorKind::Internal, message).with_source(error)
    })?;
    Ok(Answer { value, page_token })
}

fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
    });
    SchemaGenerator::new(settings)
        .into_root_schema_for::<T>()
        .to_value()
}
