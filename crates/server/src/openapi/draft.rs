//! The description of an operation while it's built.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::schemas::Schemas;

/// Collects an operation's description.
pub(crate) struct Draft<'a> {
    schemas: &'a mut Schemas,
    pub(crate) parameters: Vec<Value>,
    pub(crate) body: Option<Value>,
    pub(crate) responses: BTreeMap<u16, Value>,
    /// The response for any other status.
    pub(crate) default: Option<Value>,
    /// Whether a response can be a replay of an earlier one.
    pub(crate) replays: bool,
    /// The status of the response that is described next.
    pub(crate) status: u16,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(schemas: &'a mut Schemas) -> Self {
        Self {
            schemas,
            parameters: Vec::new(),
            body: None,
            responses: BTreeMap::new(),
            default: None,
            replays: false,
            status: 200,
        }
    }

    /// The operation has a request body of this type.
    pub(crate) fn takes<T: JsonSchema>(&mut self) {
        let schema = self.schemas.sent::<T>();
        self.takes_content("application/json", &schema);
    }

    /// The operation has a form of this type.
    pub(crate) fn takes_form<T: JsonSchema>(&mut self) {
        let schema = self.schemas.sent::<T>();
        self.takes_content("application/x-www-form-urlencoded", &schema);
    }

    /// The operation has a request body of this media type.
    fn takes_content(&mut self, media_type: &str, schema: &Value) {
        let content = json!({ media_type: { "schema": schema } });
        self.body = Some(json!({ "required": true, "content": content }));
    }

    /// The operation can be repeated safely with the same key.
    pub(crate) fn takes_idempotency_key(&mut self) {
        self.replays = true;
        self.takes_header(
            "Idempotency-Key",
            "Makes it safe to retry this call: 1 to 255 printable ASCII characters, unique to it.",
            &json!({ "type": "string", "minLength": 1, "maxLength": 257, "pattern": "^[ -~]+$" }),
        );
    }

    /// The operation has a request header.
    pub(crate) fn takes_header(&mut self, name: &str, description: &str, schema: &Value) {
        self.parameters.push(
            json!({ "name": name, "in": "header", "description": description, "schema": schema }),
        );
    }

    /// The response has JSON of this type.
    pub(crate) fn gives<T: JsonSchema>(&mut self, status: u16) {
        let schema = self.schemas.received::<T>();
        self.gives_content(status, reason(status), "application/json", &schema);
    }

    /// The response has JSON of this type, with this description.
    pub(crate) fn gives_as<T: JsonSchema>(&mut self, status: u16, description: &str) {
        let schema = self.schemas.received::<T>();
        self.gives_content(status, description, "application/json", &schema);
    }

    /// The response has a body without a schema.
    pub(crate) fn gives_any(&mut self, status: u16, description: &str, media_type: &str) {
        let response = self.response(status, description);
        if media_type == "*/*" {
            response["content"] = content_of_any_type();
        } else {
            response["content"][media_type] = json!({ "schema": {} });
        }
    }

    /// The response has a body of this media type.
    fn gives_content(&mut self, status: u16, description: &str, media_type: &str, schema: &Value) {
        let response = self.response(status, description);
        response["content"][media_type] = json!({ "schema": schema });
    }

    /// The response is the product's own, with any status, headers and body.
    pub(crate) fn gives_the_products_own(&mut self) {
        self.gives_any(200, "The product's own response.", "*/*");
        self.default = Some(json!({
            "description": "The product's own response, with its status. An error of Stead has the header `stead-error`.",
            "headers": {}, "content": content_of_any_type(),
        }));
    }

    /// The response has no body.
    pub(crate) fn gives_nothing(&mut self, status: u16) {
        self.response(status, reason(status));
    }

    /// The response has a header.
    pub(crate) fn gives_header(&mut self, status: u16, name: &str, header: Value) {
        self.response(status, reason(status))["headers"][name] = header;
    }

    /// The response with this status, which is added if it's new.
    pub(crate) fn response(&mut self, status: u16, description: &str) -> &mut Value {
        self.responses.entry(status).or_insert_with(
            || json!({ "description": description, "headers": Value::Object(Map::new()) }),
        )
    }
}

/// Any content. It includes bytes, because client generators skip a body that is only `*/*`.
fn content_of_any_type() -> Value {
    json!({
        "*/*": { "schema": {} },
        "application/octet-stream": { "schema": { "type": "string", "format": "binary" } },
    })
}

fn reason(status: u16) -> &'static str {
    match status {
        201 => "Created.",
        202 => "Accepted.",
        204 => "Success, without a body.",
        _ => "Done.",
    }
}
