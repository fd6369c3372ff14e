//! Type-erased tools, for catalogues and constant lists.

use std::fmt;

use futures_util::future::BoxFuture;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::{Call, Effect, Hints, Io, Output, ReadableView, RequiredScopes, Tool, input_of};
use crate::{Error, Result, error::Violation};

/// A parsed input, ready to run.
pub trait AnyTool: Send + Sync {
    /// Rules across fields.
    ///
    /// # Errors
    /// As [`Tool::check`].
    fn check(&self) -> Result<()>;
    /// Runs the tool.
    fn run<'a>(&'a self, call: &'a Call, io: Io<'a>) -> BoxFuture<'a, Result<Output>>;
}

impl<T: Tool> AnyTool for T {
    fn check(&self) -> Result<()> {
        Tool::check(self)
    }
    fn run<'a>(&'a self, call: &'a Call, io: Io<'a>) -> BoxFuture<'a, Result<Output>> {
        Box::pin(Tool::run(self, call, io))
    }
}

/// A type-erased tool: constants and function pointers, built at compile time.
#[derive(Clone, Copy)]
pub struct ToolEntry {
    name: &'static str,
    version: &'static str,
    aliases: &'static [&'static str],
    effect: Effect,
    hints: Hints,
    recognised_again: bool,
    scopes: RequiredScopes,
    schema: fn() -> Schema,
    parse: fn(Value) -> Result<Box<dyn AnyTool>>,
    rewrite: fn(Value) -> Result<Value>,
    output_schema: fn() -> Schema,
    rewrite_output: fn(&str) -> serde_json::Result<Value>,
    readable: Option<ReadableView>,
}

impl ToolEntry {
    /// The entry of a tool.
    pub const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            version: T::VERSION,
            aliases: T::ALIASES,
            effect: T::EFFECT,
            hints: T::HINTS,
            recognised_again: T::RECOGNISED_AGAIN,
            scopes: T::SCOPES,
            schema: schema_of::<T>,
            parse: parse::<T>,
            rewrite: rewrite::<T>,
            output_schema: schema_of::<T::Output>,
            rewrite_output: rewrite_output::<T>,
            readable: T::READABLE,
        }
    }
    /// Name of the tool.
    pub const fn name(&self) -> &'static str {
        self.name
    }
    /// Date of the version.
    pub const fn version(&self) -> &'static str {
        self.version
    }
    /// Other names of the tool.
    pub const fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }
    /// Effect of a call.
    pub const fn effect(&self) -> Effect {
        self.effect
    }
    /// How a call affects existing data.
    pub const fn hints(&self) -> Hints {
        self.hints
    }
    /// Whether the product recognizes a second run with the same ID and changes nothing more.
    pub const fn recognised_again(&self) -> bool {
        self.recognised_again
    }
    /// Scopes. A call needs one of them.
    pub const fn scopes(&self) -> RequiredScopes {
        self.scopes
    }
    /// JSON Schema of the struct, before any transformation.
    pub fn struct_schema(&self) -> Schema {
        (self.schema)()
    }
    /// Parses an input that matches the schema.
    ///
    /// # Errors
    /// [`ErrorKind::SchemaViolation`](crate::ErrorKind::SchemaViolation) if the struct still rejects it.
    pub fn parse(&self, input: Value) -> Result<Box<dyn AnyTool>> {
        (self.parse)(input)
    }
    /// Parses an input into the struct and serializes it again, like a typed call.
    ///
    /// # Errors
    /// As [`ToolEntry::parse`].
    pub fn rewrite(&self, input: Value) -> Result<Value> {
        (self.rewrite)(input)
    }
    /// The readable view of the result, if there is one.
    pub const fn readable(&self) -> Option<ReadableView> {
        self.readable
    }
    /// JSON Schema of [`Tool::Output`], before any transformation.
    pub fn output_struct_schema(&self) -> Schema {
        (self.output_schema)()
    }
    /// Parses a result's data into [`Tool::Output`] and serializes it again, which shows what a typed call gets.
    ///
    /// # Errors
    /// If the data doesn't fit the type.
    pub fn rewrite_output(&self, data: &str) -> serde_json::Result<Value> {
        (self.rewrite_output)(data)
    }
}

impl fmt::Debug for ToolEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// JSON Schema of a type, without references.
pub fn schema_of<T: JsonSchema>() -> Schema {
    let settings = schemars::generate::SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>()
}

fn parse<T: Tool>(input: Value) -> Result<Box<dyn AnyTool>> {
    Ok(Box::new(read::<T>(input)?))
}

fn rewrite<T: Tool>(input: Value) -> Result<Value> {
    input_of(&read::<T>(input)?)
}

fn rewrite_output<T: Tool>(data: &str) -> serde_json::Result<Value> {
    serde_json::to_value(serde_json::from_str::<T::Output>(data)?)
}

fn read<T: Tool>(input: Value) -> Result<T> {
    serde_json::from_value(input).map_err(|error| refused(&error))
}

fn refused(error: &serde_json::Error) -> Error {
    Error::violations(vec![Violation::new("", "struct", error.to_string())])
}
