//! JSON Schema of a tool's input. Stead derives it from the struct, validates inputs with it, and exports it for
//! models.

#[cfg(feature = "catalogue")]
mod body;
#[cfg(feature = "catalogue")]
mod coerce;
#[cfg(feature = "catalogue")]
mod export;
mod format;
#[cfg(feature = "catalogue")]
mod input;
#[cfg(feature = "catalogue")]
mod normalize;
#[cfg(feature = "catalogue")]
mod validator;

pub use format::{Detail, ExportFormat, ExportReport};

#[cfg(feature = "catalogue")]
pub use self::{
    body::read_body,
    export::{Exported, check_request, check_tool},
    input::{InputSchema, VERSION_PARAMETERS, output_schema, readable_schema},
};
#[cfg(feature = "catalogue")]
pub(crate) use export::{Exportable, export, whole_for_models};

#[cfg(feature = "catalogue")]
#[cfg(test)]
mod tests;
