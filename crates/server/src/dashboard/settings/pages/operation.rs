//! An operation of any type: it takes texts and JSON, and returns JSON.

use std::{fmt, mem};

use serde_json::Value;
use stead::{Error, ErrorKind};
use stead_core::{
    api::{Given, Info, Paging, Query, Run},
    environment::Environment,
    ports::BoxFuture,
    schema::read_body,
    scope::Scopes,
    tool::schema_of,
};

use crate::dashboard::session::Role;

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

type Send = for<'a> fn(&'a Environment, Given<'a, Value>) -> BoxFuture<'a, Result<Value, Error>>;

impl Operation {
    pub(crate) fn of<O: Run<Environment>>() -> Self {
        Self {
            info: O::INFO,
            body: || schema_of::<O::Body>().to_value(),
            output: || schema_of::<O::Output>().to_value(),
            run: |environment, given| Box::pin(run::<O>(environment, given)),
        }
    }

    /// Runs it as the member whose page this is. Rejects a query with unknown parameters.
    pub(super) async fn run(
        &self,
        environment: &Environment,
        path: &[String],
        query: &str,
        body: Option<Value>,
    ) -> Result<Value, Error> {
        let mut query = Query::read(query);
        let given = Given {
            path: path.to_vec(),
            query: &mut query,
            body,
        };
        (self.run)(environment, given).await
    }

    /// The lowest role that has its scope.
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
    given: Given<'_, Value>,
) -> Result<Value, Error> {
    let mut operation = O::read(Given {
        path: given.path,
        query: given.query,
        body: given.body.map(read_body::<O::Body>).transpose()?,
    })?;
    mem::replace(given.query, Query::read("")).end()?;
    if let Some(paging) = operation.paging() {
        paging.size = paging.size.min(Paging::DEFAULT);
    }
    let output = environment.send(operation).await?;
    serde_json::to_value(output).map_err(|error| {
        let message = "the result can't be written as JSON";
        Error::new(ErrorKind::Internal, message).with_source(error)
    })
}
