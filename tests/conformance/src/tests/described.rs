//! Two small APIs, one as a discovery document and one as OpenAPI.

use serde_json::{Value, json};

pub(super) const READ: &str = "https://boxes.example/auth/read";
pub(super) const WRITE: &str = "https://boxes.example/auth/write";

/// A discovery document.
pub(super) fn discovery() -> Value {
    json!({
        "discoveryVersion": "v1", "title": "Boxes", "version": "v1", "servicePath": "boxes/v1/",
        "parameters": {
            "fields": {"type": "string", "location": "query"},
            "alt": {"type": "string", "location": "query", "enum": ["json", "media"]}
        },
        "schemas": {
            "Box": {"id": "Box", "type": "object", "properties": {
                "id": {"type": "string", "readOnly": true},
                "name": {"type": "string", "annotations": {"required": ["boxes.create"]}},
                "colour": {"type": "string", "enum": ["RED", "BLUE"]},
                "size": {"type": "integer", "format": "int32"},
                "bytes": {"type": "string", "format": "int64"},
                "inner": {"$ref": "Box"}
            }},
            "Boxes": {"id": "Boxes", "type": "object", "properties": {
                "boxes": {"type": "array", "items": {"$ref": "Box"}},
                "next": {"type": "string"}
            }}
        },
        "resources": {"boxes": {"methods": {
            "list": {
                "id": "boxes.list", "httpMethod": "GET", "path": "users/{user}/boxes",
                "scopes": [READ, WRITE], "response": {"$ref": "Boxes"},
                "parameters": {
                    "user": {"type": "string", "location": "path", "required": true},
                    "order": {"type": "string", "location": "query", "required": true, "enum": ["name", "size"]},
                    "most": {"type": "integer", "format": "uint32", "location": "query", "minimum": "1", "maximum": "100"},
                    "deep": {"type": "boolean", "location": "query"},
                    "label": {"type": "string", "location": "query", "repeated": true},
                    "mask": {"type": "string", "format": "google-fieldmask", "location": "query",
                        "description": "Valid values are: * names * sizes"}
                }
            },
            "create": {
                "id": "boxes.create", "httpMethod": "POST", "path": "users/{user}/boxes",
                "scopes": [WRITE], "request": {"$ref": "Box"}, "response": {"$ref": "Box"},
                "parameters": {"user": {"type": "string", "location": "path", "required": true}}
            },
            "delete": {
                "id": "boxes.delete", "httpMethod": "DELETE", "path": "{+name}", "scopes": [WRITE],
                "parameters": {"name": {"type": "string", "location": "path", "required": true,
                    "pattern": "^users/[^/]+/boxes/[^/]+$"}}
            }
        }}}
    })
}

/// An OpenAPI description. The newer version has one more method, and allows notes in every language.
pub(super) fn openapi(version: &str, languages: &[&str]) -> Value {
    let note = json!({
        "type": "object", "required": ["text"],
        "properties": {"text": {"type": "string"}, "language": {"type": "string", "enum": languages}}
    });
    let header = json!({"name": "Notes-Version", "in": "header", "required": true, "schema": {"enum": [version]}});
    let error =
        json!({"type": "object", "required": ["code"], "properties": {"code": {"type": "string"}}});
    let mut paths = json!({
        "/notes": {
            "parameters": [{"$ref": "#/components/parameters/version"}],
            "post": {
                "operationId": "create-note",
                "parameters": [{"name": "tag", "in": "query", "schema": {"type": "array", "items": {"type": "integer"}}}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/note"}}}},
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/note"}}}},
                    "400": {"content": {"application/json": {"schema": error}}}
                }
            }
        }
    });
    if version == "2" {
        paths["/notes/{id}"] = json!({"get": {
            "parameters": [
                {"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}},
                header
            ],
            "responses": {}
        }});
    }
    json!({
        "openapi": "3.1.0", "info": {"title": "Notes", "version": version}, "paths": paths,
        "components": {"schemas": {"note": note}, "parameters": {"version": header}}
    })
}
