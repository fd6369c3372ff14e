//! An operation while it is described.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::schemas::Schemas;

/// Gathers what is known of an operation.
pub(crate) struct Draft<'a> {
    schemas: &'a mut Schemas,
    pub(crate) parameters: Vec<Value>,
    pub(crate) body: Option<Value>,
    pub(crate) responses: BTreeMap<u16, Value>,
    /// What any other status stands for.
    pub(crate) default: Option<Value>,
    /// Whether a response can be that of an earlier request.
    pub(crate) replays: bool,
    /// The status of what comes next.
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

    /// It takes a body of this type.
    pub(crate) fn takes<T: JsonSchema>(&mut self) {
        let schema = self.schemas.sent::<T>();
        self.takes_content("application/json", &schema);
    }

    /// It takes a form of this type.
    pub(crate) fn takes_form<T: JsonSchema>(&mut self) {
        let schema = self.schemas.sent::<T>();
        self.takes_content("application/x-www-form-urlencoded", &schema);
    }

    /// It takes a body of this media type.
    fn takes_content(&mut self, media_type: &str, schema: &Value) {
        let content = json!({ media_type: { "schema": schema } });
        self.body = Some(json!({ "required": true, "content": content }));
    }

    /// It can be repeated safely with the same key.
    pub(crate) fn takes_idempotency_key(&mut self) {
        self.replays = true;
        self.takes_header(
            "Idempotency-Key",
            "Makes it safe to retry this call: 1 to 255 printable ASCII characters, unique to it.",
            &json!({ "type": "string", "minLength": 1, "maxLength": 257, "pattern": "^[ -~]+$" }),
        );
    }

    /// It takes a header.
    pub(crate) fn takes_header(&mut self, name: &str, description: &str, schema: &Value) {
        self.parameters.push(
            json!({ "name": name, "in": "header", "description": description, "schema": schema }),
        );
    }

    /// It responds with JSON of this type.
    pub(crate) fn gives<T: JsonSchema>(&mut self, status: u16) {
        let schema = self.schemas.received::<T>();
        self.gives_content(status, reason(status), "application/json", &schema);
    }

    /// It responds with JSON of this type, for a reason.
    pub(crate) fn gives_as<T: JsonSchema>(&mut self, status: u16, description: &str) {
        let schema = self.schemas.received::<T>();
        self.gives_content(status, description, "application/json", &schema);
    }

    /// It responds with something that has no schema.
    pub(crate) fn gives_any(&mut self, status: u16, description: &str, media_type: &str) {
        let response = self.response(status, description);
        if media_type == "*/*" {
            response["content"] = content_of_any_type();
        } else {
            response["content"][media_type] = json!({ "schema": {} });
        }
    }

    /// It responds with a body of this media type.
    fn gives_content(&mut self, status: u16, description: &str, media_type: &str, schema: &Value) {
        let response = self.response(status, description);
        response["content"][media_type] = json!({ "schema": schema });
    }

    /// It responds as the product does, with any status, headers and body.
    pub(crate) fn gives_the_products_own(&mut self) {
        self.gives_any(200, "The product's own response.", "*/*");
        self.default = Some(json!({
            "description": "The product's own response, with its status. An error of Stead has the header `stead-error`.",
            "headers": {}, "content": content_of_any_type(),
        }));
    }

    /// It responds without a body.
    pub(crate) fn gives_nothing(&mut self, status: u16) {
        self.response(status, reason(status));
    }

    /// It responds with a header.
    pub(crate) fn gives_header(&mut self, status: u16, name: &str, header: Value) {
        self.response(status, reason(status))["headers"][name] = header;
    }

    /// A response with this status, which is described where it was not yet.
    pub(crate) fn response(&mut self, status: u16, description: &str) -> &mut Value {
        self.responses.entry(status).or_insert_with(
            || json!({ "description": description, "headers": Value::Object(Map::new()) }),
        )
    }
}

/// Anything. Bytes are among it, since generators of clients skip what they only know as `*/*`.
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
