//! `/openapi.json`: the whole document, derived from the table of routes.

#[cfg(test)]
pub(crate) mod check;
#[cfg(test)]
mod examples_tests;
mod responses;
#[cfg(test)]
mod tests;
mod webhooks;

use axum::{extract::State, response::Response};
use bytes::Bytes;
use http::{HeaderValue, header};
use serde_json::{Map, Value, json};
use stead::{Error, ErrorKind};
use stead_core::{environment::Environment, error::Problem, resource::Event, scope::ScopeName};

use crate::{
    Access,
    openapi::{Draft, Form, Schemas, examples, parameter},
    routes::Route,
    state::ServerState,
    timeout,
};

/// The interface of a service that is reached at `public_url`, as an OpenAPI 3.1 document.
pub fn openapi(public_url: &str) -> Value {
    document(public_url)
}

/// The document only depends on this environment's address, so it's created once.
pub(crate) async fn show(State(state): State<ServerState>) -> Response {
    let body = state.openapi.get_or_init(|| written(&state.environment));
    let body = body.clone();
    let mut response = Response::new(body.into());
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    response
}

/// The description of the document's own route.
pub(crate) fn describe(draft: &mut Draft<'_>) {
    draft.gives_any(200, "An OpenAPI 3.1 document.", "application/json");
}

fn written(environment: &Environment) -> Bytes {
    let document = openapi(environment.public_url().as_str());
    document.to_string().into()
}

/// The resources, in the order in which they are shown.
const TAGS: &[(&str, &str)] = &[
    ("oauth", "Get an application's token."),
    (
        "connections",
        "A connection is one product's OAuth client. You can set its secret but never read it.",
    ),
    (
        "authorization-links",
        "Links that users open to connect an account.",
    ),
    ("authorizations", "Attempts to connect an account."),
    ("accounts", "Users' accounts at products."),
    (
        "account-imports",
        "Import accounts with their tokens from another platform.",
    ),
    (
        "account-tokens",
        "Bearer tokens for one account each, for programs that shouldn't have the application's own token.",
    ),
    (
        "mcp-sessions",
        "Bearer tokens for `/mcp`. Agents use them to call tools as one user.",
    ),
    ("policies", "Allow, deny or require approval for calls."),
    (
        "approvals",
        "Calls that wait for a person's approval, with their exact arguments.",
    ),
    (
        "app-credentials",
        "Client IDs and secrets of applications, with their scopes and limits.",
    ),
    (
        "members",
        "People who can sign in to the dashboard, with their roles.",
    ),
    (
        "keys",
        "Data keys, which encrypt secrets in the store. Add, activate and destroy them here.",
    ),
    ("events", "A complete feed of everything that happened."),
    (
        "webhooks",
        "Your application's URLs that Stead sends events to.",
    ),
    (
        "executions",
        "The history of calls, without inputs and results.",
    ),
    ("audit", "The audit log: who changed what, in a hash chain."),
    ("tools", "List tools and run them."),
    (
        "files",
        "Files and omitted parts of results, by their handles.",
    ),
    (
        "tool-calls",
        "Run a model's tool calls, in its vendor's format.",
    ),
    ("proxy", "Send raw requests to a product as a user."),
    ("service", "The service itself."),
];

const ABOUT: &str = "Connect your app and its agents to your users' products with typed tools and raw requests. Stead handles OAuth \
    and tokens. Send your application's bearer token with every request. Errors are `application/problem+json` \
    (RFC 9457) with a stable `kind`; a browser without a token gets a page. Later versions can add members and kinds.";

/// The interface of a service at this address.
fn document(public_url: &str) -> Value {
    let url = public_url.trim_end_matches('/');
    let mut schemas = Schemas::new();
    let problem = schemas.received::<Problem>();
    let mut paths = Map::new();
    for (access, routes) in crate::table() {
        for route in &routes {
            let Some((method, operation)) = operation(access, route, &mut schemas, &problem) else {
                continue;
            };
            let path = paths
                .entry(route.path)
                .or_insert_with(|| Value::Object(Map::new()));
            path[method] = operation;
        }
    }
    let webhooks = webhooks::all(&schemas.received::<Event>());
    let schemas = schemas.finish();
    examples::add(&mut paths, &schemas);
    let responses = responses::share(&mut paths);
    let tags: Vec<Value> = TAGS
        .iter()
        .map(|(name, description)| json!({ "name": name, "description": description }))
        .collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Stead", "version": env!("CARGO_PKG_VERSION"), "description": ABOUT,
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": url }],
        // It isn't in `paths`, because generated clients would encode the slashes of a path that is a parameter.
        "x-stead-proxy": {
            "url": format!("{url}/proxy/{{connection_name}}/{{identifier}}"),
            "description": "The product's API for one user: put the product's own path and query after this base.",
        },
        "tags": tags,
        "paths": paths,
        "webhooks": webhooks,
        "components": {
            "responses": responses,
            "schemas": schemas,
            "securitySchemes": security_schemes(url),
            "headers": headers(),
            "examples": problems(),
        },
    })
}

/// The operation of a route, with its method in lower case. `None` if it's not part of the interface.
fn operation(
    access: Access,
    route: &Route,
    schemas: &mut Schemas,
    problem: &Value,
) -> Option<(&'static str, Value)> {
    let operation = route.operation;
    let summary = operation.summary?;
    let mut draft = Draft::new(schemas);
    let names = route.path.split(['{', '}']).skip(1).step_by(2);
    draft.parameters = names.map(parameter::of_path).collect();
    for parameter in operation.query.iter().copied().flatten() {
        draft.parameters.push(parameter.to_openapi());
    }
    if operation.calls {
        draft.takes_header(timeout::NAME, timeout::DESCRIPTION, &timeout::schema());
    }
    (operation.describe)(&mut draft);
    for kind in kinds(access, route, draft.body.is_some()) {
        add_problem(&mut draft, kind, problem);
    }
    let Draft {
        parameters,
        body,
        mut responses,
        mut default,
        replays,
        ..
    } = draft;
    if default.is_some() {
        for response in responses.values_mut() {
            response["content"]["*/*"] = json!({ "schema": {} });
        }
    }
    for (status, response) in &mut responses {
        if *status >= 400 {
            response["headers"]["stead-error"] = header("error");
        }
    }
    for response in responses.values_mut().chain(&mut default) {
        response["headers"]["stead-request-id"] = header("request-id");
        if replays {
            response["headers"]["stead-idempotent-replayed"] = header("replayed");
        }
        if operation.calls {
            response["headers"]["stead-execution-id"] = header("execution-id");
        }
    }
    let responses: Map<String, Value> = responses
        .into_iter()
        .map(|(status, response)| (status.to_string(), response))
        .chain(default.map(|response| (String::from("default"), response)))
        .collect();
    let tag = tag(route.path);
    let id = format!("{}_{}", tag.replace('-', "_"), operation.name);
    let mut described = json!({ "tags": [tag], "summary": summary, "responses": responses });
    if !parameters.is_empty() {
        described["parameters"] = Value::Array(parameters);
    }
    if let Some(body) = body {
        described["requestBody"] = body;
    }
    described["security"] = match access {
        Access::Application | Access::Proxy => security(route),
        _ => json!([]),
    };
    described["operationId"] = json!(id);
    let method = match route.method {
        "DELETE" => "delete",
        "GET" => "get",
        "PATCH" => "patch",
        "PUT" => "put",
        _ => "post",
    };
    Some((method, described))
}

/// The kinds of errors that a route can end with.
fn kinds(access: Access, route: &Route, has_body: bool) -> Vec<ErrorKind> {
    let form = Form {
        path: route.path,
        authenticated: matches!(access, Access::Application | Access::Proxy),
        has_body,
        calls: route.operation.calls,
        own: route.operation.errors,
    };
    form.kinds()
}

/// Adds a kind to the response with its status.
fn add_problem(draft: &mut Draft<'_>, kind: ErrorKind, problem: &Value) {
    let status = kind.status();
    let response = draft.response(status, "");
    let description = response["description"].as_str().unwrap_or_default();
    let separator = if description.is_empty() { "" } else { " " };
    let description = format!("{description}{separator}`{kind}`: {}", kind.summary());
    response["description"] = Value::String(description);
    let content = &mut response["content"]["application/problem+json"];
    content["schema"] = problem.clone();
    content["examples"][kind.name()] = json!({ "$ref": format!("#/components/examples/{kind}") });
    if kind.retryable() {
        response["headers"]["Retry-After"] = header("retry-after");
    }
    if matches!(
        kind,
        ErrorKind::Unauthenticated | ErrorKind::InsufficientScope
    ) {
        response["headers"]["WWW-Authenticate"] = header("www-authenticate");
    }
}

fn header(name: &str) -> Value {
    json!({ "$ref": format!("#/components/headers/{name}") })
}

fn headers() -> Value {
    json!({
        "request-id": {
            "description": "ID of this request, also in the log. `x-request-id` has the same value unless the product set it.",
            "schema": { "type": "string", "pattern": "^req_[0-9a-f]{16}$" },
        },
        "execution-id": {
            "description": "ID of the call in the history, if the call started.",
            "schema": { "type": "string", "pattern": "^exec_[0-9a-f]{32}$" },
        },
        "error": {
            "description": "Kind of a Stead error. Products' responses don't have this header.",
            "schema": { "type": "string" },
        },
        "replayed": {
            "description": "`true` on a response of an earlier request with the same `Idempotency-Key`.",
            "schema": { "const": "true" },
        },
        "retry-after": {
            "description": "Seconds to wait before the next attempt, if known.",
            "schema": { "type": "integer", "minimum": 0 },
        },
        "www-authenticate": {
            "description": "The missing authentication or scope (RFC 6750, section 3).",
            "schema": { "type": "string" },
        },
    })
}

/// A problem of every kind.
fn problems() -> Value {
    let problems = ErrorKind::ALL.iter().map(|kind| {
        let problem = Error::new(*kind, kind.summary())
            .with_request_id("req_0123456789abcdef".to_owned())
            .to_problem();
        (kind.name().to_owned(), json!({ "value": problem }))
    });
    Value::Object(problems.collect())
}

/// OpenAPI 3.1 allows scopes for any scheme.
fn security(route: &Route) -> Value {
    let scopes: Vec<&str> = route.scope.iter().map(|scope| scope.name()).collect();
    json!([{ "client_credentials": scopes }, { "bearer": scopes }])
}

fn security_schemes(url: &str) -> Value {
    let scopes = ScopeName::ALL.iter();
    let scopes: Map<String, Value> = scopes
        .map(|scope| (scope.name().to_owned(), json!(scope.summary())))
        .collect();
    json!({
        "client_credentials": {
            "type": "oauth2",
            "description": "The application's client ID and secret. The token works for one hour by default.",
            "flows": { "clientCredentials": { "tokenUrl": format!("{url}/oauth/token"), "scopes": scopes } },
        },
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "A token from `POST /oauth/token`.",
        },
    })
}

/// The resource that a path belongs to.
fn tag(path: &str) -> &str {
    let path = path.trim_start_matches('/');
    let path = path.strip_prefix("v1/").unwrap_or(path);
    let first = path.split('/').next().unwrap_or_default();
    match first {
        "" | "openapi.json" | "healthz" | "readyz" => "service",
        resource => resource,
    }
}
