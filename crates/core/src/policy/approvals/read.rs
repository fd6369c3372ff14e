//! Reads approvals.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{may_see, row};
use crate::{
    Error, ErrorKind, Result,
    context::Context,
    product::{Preview, Product, SentRequest},
    resource::{Approval, ApprovedRequest, ListApprovals, Page, ReadApproval},
    sealed::place,
};

/// Approvals, newest first, without their arguments. A page can have fewer than `page_size` items even if more follow.
pub(crate) async fn list(context: &Context, list: ListApprovals) -> Result<Page<Approval>> {
    let filter = &list.filter;
    may_see(&context.caller)?;
    let (after, limit) = (list.page.after()?, list.page.limit());
    let rows = context.store.approvals(filter.state, after, limit).await?;
    let next = list.page.next(&rows, |row| row.id);
    let now = context.host.now();
    let items = rows
        .into_iter()
        .filter(|found| context.caller.sees(found.row.connection_name.as_str()))
        .map(|found| found.row.shown(now))
        // Filter by the shown state, because an expired approval may not be stored as expired yet.
        .filter(|one| filter.state.is_none_or(|state| one.state == state));
    Ok(Page::new(items.collect(), next))
}

/// An approval with the exact arguments of its call.
pub(crate) async fn read(context: &Context, read: ReadApproval) -> Result<Approval> {
    let approval_id = read.approval_id.as_str();
    let found = row(context, approval_id).await?.row;
    let place = place::Arguments(found.id);
    let opened = context.store.vault.open(&place, &found.arguments).await?;
    let arguments = parsed(&opened)?;
    let request = match &found.request_to_send {
        None => None,
        Some(sealed) => {
            let place = place::ApprovedRequest(found.id);
            let opened = context.store.vault.open(&place, sealed).await?;
            Some(parsed(&opened)?)
        }
    };
    let product = context.products.catalogue.product(&found.product);
    let preview = product.and_then(|product| preview(product, request.as_ref(), &arguments));
    Ok(Approval {
        arguments: Some(arguments),
        request,
        preview,
        ..found.shown(context.host.now())
    })
}

fn parsed<T: DeserializeOwned>(json: &[u8]) -> Result<T> {
    serde_json::from_slice(json).map_err(|error| {
        Error::new(ErrorKind::Internal, "the approval can't be read").with_source(error)
    })
}

/// The content of the tool's request, or of the first raw request that has some.
fn preview(
    product: &Product,
    of_tool: Option<&ApprovedRequest>,
    arguments: &Value,
) -> Option<Preview> {
    let seen = |method: &str, path: &str, content_type: Option<&str>, body: Option<&str>| {
        let (path, query) = match path.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (path, None),
        };
        let method = method.parse().ok()?;
        (product.preview)(&SentRequest {
            method: &method,
            path,
            query,
            content_type,
            body: Some(body.unwrap_or_default().as_bytes()),
        })
    };
    if let Some(one) = of_tool {
        let (content_type, body) = (one.content_type.as_deref(), one.body.as_deref());
        return seen(&one.method, &one.path, content_type, body);
    }
    let requests = arguments["requests"].as_array().into_iter().flatten();
    let mut previews = requests.filter_map(|one| {
        let content_type = one["headers"]["content-type"].as_str();
        let (method, path) = (one["method"].as_str()?, one["path"].as_str()?);
        seen(method, path, content_type, one["body"].as_str())
    });
    previews.next()
}
