//! Events as applications see them.

use serde_json::Value;

use super::cursor::Cursor;
use crate::{caller::Connections, context::Context, domain, resource::Event};

/// Whether an event is about one of these connections. A caller that is limited to some connections can't see events
/// without a connection.
pub(super) fn is_of(event: &Event, connections: &Connections) -> bool {
    let named = |name| connections.have(name);
    connections.are_all() || event.text("connection_name").is_some_and(named)
}

/// An event with the data that follows from its row.
pub(super) async fn view(context: &Context, mut row: domain::Event) -> Event {
    let cursor = Cursor::after(&row).unwrap_or(Cursor::START).to_string();
    let mut data = match row.data.take() {
        Value::Object(members) => members,
        _ => serde_json::Map::new(),
    };
    if let Some(id) = row.account_id {
        data.insert(String::from("account_id"), id.to_string().into());
    }
    // Events of the first schema.
    if let Some(state) = data.remove("state") {
        data.entry("status").or_insert(state);
    }
    let connection = data.get("connection_id").and_then(Value::as_str);
    if let (None, Some(Ok(id))) = (data.get("connection_name"), connection.map(str::parse))
        && let Some((name, product)) = context.names_of(id).await
    {
        data.insert(String::from("connection_name"), name.to_string().into());
        data.insert(String::from("product"), product.into());
    }
    row.shown(cursor, data)
}
