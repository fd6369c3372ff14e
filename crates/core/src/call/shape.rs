//! Shapes a result as the caller requests.

use std::sync::Arc;

use serde_json::value::RawValue;

use crate::{
    Result,
    catalogue::CatalogueTool,
    context::{Context, bulkheads::Held},
    results::{self, Origin, Part, ResultOptions, View},
    tool::{Effect, Warning},
};

/// Memory that JSON needs while it's transformed, per byte of its text.
const PARSED: u64 = 4;

/// Names of parameters that limit the number of items.
const PAGE_SIZES: [&str; 3] = ["max_results", "page_size", "limit"];

/// The data in the requested shape, and its truncated parts. Without options, the data stays unchanged.
pub(super) async fn shaped(
    context: &Context,
    tool: &Arc<CatalogueTool>,
    options: &ResultOptions,
    data: Box<RawValue>,
    warnings: &mut Vec<Warning>,
    held: &Held,
) -> Result<(Box<RawValue>, Vec<Part>)> {
    if options.is_default() {
        return Ok((data, Vec::new()));
    }
    if let Err(error) = held.add(PARSED * data.get().len() as u64) {
        if tool.entry().effect() == Effect::Read {
            return Err(error);
        }
        let message = "not enough memory is free to transform the result; try again";
        warnings.push(Warning::new("result_as_it_is", message));
        return Ok((data, Vec::new()));
    }
    let (tool, options) = (Arc::clone(tool), options.clone());
    let bytes = data.get().len() as u64;
    let shape =
        move || -> Result<_> { results::shape(data, &options, origin(&tool, options.view)?) };
    let shaped = context.computed(bytes, shape).await??;
    warnings.extend(shaped.warnings);
    Ok((shaped.data, shaped.parts))
}

fn origin(tool: &CatalogueTool, view: View) -> Result<Origin<'_>> {
    let readable = tool.readable_schema().filter(|_| view == View::Readable);
    let parameters = tool.schema()?.schema()["properties"].as_object();
    Ok(Origin {
        readable: tool.entry().readable(),
        schema: readable.unwrap_or_else(|| tool.output_schema()),
        page_size: PAGE_SIZES
            .into_iter()
            .find(|name| parameters.is_some_and(|all| all.contains_key(*name))),
        only_reads: tool.entry().effect() == Effect::Read,
    })
}
