//! Operations: the requests that an application can make. Each one is declared once, and the route, its description,
//! the client's method and the call in this process follow from the declaration.
//!
//! [`send`](crate::environment::Environment::send) runs an operation in this process. A client of a service sends the
//! same struct over HTTP.
//!
//! An operation has the members of its path, a struct for its query and one for its body. It isn't one flat struct,
//! because the server reads the body straight from its bytes: numbers keep their digits, and members can be raw JSON.

mod macros;
mod parameters;
mod query;
mod resource;

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

pub(crate) use macros::operations;
pub use parameters::{Form, Paging, Parameter, Parameters, QueryWriter};
pub(crate) use parameters::{QueryValue, query};
pub use query::Query;
pub(crate) use resource::resource;

use crate::{Error, ErrorKind, Result, ports::BoxFuture, scope::ScopeName};

/// One thing that an application can ask of Stead, such as [`ReadWebhook`](crate::resource::ReadWebhook).
///
/// Only this crate implements it.
pub trait Operation: Sized + Send + Sync + 'static {
    /// JSON body of the request. [`NoBody`] if there is none.
    type Body: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
    /// The result.
    type Output: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
    /// Everything that the declaration says.
    const INFO: Info;

    /// Parameters of the query.
    fn parameters() -> Vec<&'static [Parameter]>;

    /// Reads the operation from a request.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] with the places.
    fn read(given: Given<'_, Self::Body>) -> Result<Self>;

    /// The request that [`read`](Self::read) reads.
    fn write(&self) -> Written<'_, Self::Body>;

    /// Which page it asks for, if its output has pages.
    fn paging(&mut self) -> Option<&mut Paging> {
        None
    }

    /// ID of the resource that it created, for the header `Location`.
    fn created(_: &Self::Output) -> Option<String> {
        None
    }
}

/// An operation that a service runs.
pub trait Run<S>: Operation {
    /// Runs it.
    fn run(self, service: &S) -> BoxFuture<'_, Result<Self::Output>>;
}

/// The declaration of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Info {
    /// Verb, such as `rotate_secret`.
    pub verb: &'static str,
    /// HTTP method.
    pub method: &'static str,
    /// Path, with its members in braces.
    pub path: &'static str,
    /// Names of the members of the path, in order.
    pub path_members: &'static [&'static str],
    /// One sentence for the reference.
    pub summary: &'static str,
    /// Whether the request has a body.
    pub has_body: bool,
    /// Status of success.
    pub status: u16,
    /// Scope that a caller needs, at least for one product. `None` if any token is enough.
    pub scope: Option<ScopeName>,
    /// Kinds of errors that follow neither from the form of the request nor from `calls`.
    pub errors: &'static [ErrorKind],
    /// Whether it sends requests to a product.
    pub calls: bool,
    /// Whether a POST is safe to repeat. If not, a client that gets no response can't know what happened.
    pub repeatable: bool,
    /// Whether the response names the created resource in the header `Location`.
    pub location: bool,
    /// Actions of the audit entries that it may write.
    pub audit: &'static [&'static str],
}

impl Info {
    pub(crate) const DEFAULT: Self = Self {
        verb: "",
        method: "",
        path: "",
        path_members: &[],
        summary: "",
        has_body: false,
        status: 200,
        scope: None,
        errors: &[],
        calls: false,
        repeatable: false,
        location: false,
        audit: &[],
    };

    /// Whether a request without a response may have changed something that a repetition would change again.
    pub fn may_write(&self) -> bool {
        self.method == Method::POST.as_str() && !self.repeatable
    }
}

/// The body of an operation that has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoBody;

/// The parts of a request.
#[derive(Debug)]
pub struct Given<'q, B> {
    /// Members of the path, decoded and in order.
    pub path: Vec<String>,
    /// The query.
    pub query: &'q mut Query,
    /// The body, if the operation has one.
    pub body: Option<B>,
}

impl<B> Given<'_, B> {
    pub(crate) fn body(&mut self) -> Result<B> {
        self.body
            .take()
            .ok_or_else(|| Error::new(ErrorKind::InvalidRequest, "this request needs a body"))
    }
}

/// The parts of an operation.
#[derive(Debug)]
pub struct Written<'o, B> {
    /// Members of the path, in order and not yet encoded.
    pub path: Vec<&'o str>,
    /// The query.
    pub query: QueryWriter,
    /// The body, if it has one.
    pub body: Option<&'o B>,
}

impl<B> Written<'_, B> {
    pub(crate) fn new() -> Self {
        Self {
            path: Vec::new(),
            query: QueryWriter::default(),
            body: None,
        }
    }
}
