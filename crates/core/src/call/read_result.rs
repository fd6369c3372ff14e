//! Reads a handle. The call runs again for its user, and is checked and recorded like any other.

use super::{
    account_token,
    file::{content, open},
    tool::execute_again,
};
use crate::{Result, context::Context, resource::ResultFile};

/// The current content of a handle at the product.
pub(crate) async fn read_result(context: &Context, handle: &str) -> Result<ResultFile> {
    account_token::refuse(&context.caller)?;
    let mut reference = open(context, handle).await?;
    let (request, owner) = (reference.request(), reference.owner);
    let execution = execute_again(context, &reference.tool, request, owner).await?;
    let bytes = execution.data.get().len() as u64;
    let id = execution.execution_id;
    let taken = context.computed(bytes, move || content(reference, &execution));
    taken
        .await?
        .map_err(|error| error.with_execution_id(id.to_string()))
}
