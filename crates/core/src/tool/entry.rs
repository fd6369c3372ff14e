//! Tools without their types, so that a catalogue can hold many and a product can list its own as a constant.

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

/// A tool without its type: constants and function pointers, made at compile time.
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
    /// What a call can do.
    pub const fn effect(&self) -> Effect {
        self.effect
    }
    /// What a call does to what is there already.
    pub const fn hints(&self) -> Hints {
        self.hints
    }
    /// Whether the product recognises a second run with the same id, and does nothing more.
    pub const fn recognised_again(&self) -> bool {
        self.recognised_again
    }
    /// Scopes of which one is needed.
    pub const fn scopes(&self) -> RequiredScopes {
        self.scopes
    }
    /// JSON Schema of the struct, before any transformation.
    pub fn struct_schema(&self) -> Schema {
        (self.schema)()
    }
    /// Reads an input that has passed the schema.
    ///
    /// # Errors
    /// [`ErrorKind::SchemaViolation`](crate::ErrorKind::SchemaViolation) where the struct still refuses it.
    pub fn parse(&self, input: Value) -> Result<Box<dyn AnyTool>> {
        (self.parse)(input)
    }
    /// Reads an input into the struct and writes it again, as a typed call does.
    ///
    /// # Errors
    /// As [`ToolEntry::parse`].
    pub fn rewrite(&self, input: Value) -> Result<Value> {
        (self.rewrite)(input)
    }
    /// The readable view of the result, where there is one.
    pub const fn readable(&self) -> Option<ReadableView> {
        self.readable
    }
    /// JSON Schema of [`Tool::Output`], before any transformation.
    pub fn output_struct_schema(&self) -> Schema {
        (self.output_schema)()
    }
    /// Reads the data of a result into [`Tool::Output`] and writes it again: what a typed call sees of it.
    ///
    /// # Errors
    /// Where the data has another shape.
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
pub(crate) fn schema_of<T: JsonSchema>() -> Schema {
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
