//! The product and its token endpoint, over HTTP. The first segment of a path is the host that the service meant.

use std::{
    convert::Infallible,
    sync::{Arc, OnceLock},
    time::Duration,
};

use anyhow::Result;
use base64::{
    Engine as _, engine::general_purpose::STANDARD, engine::general_purpose::URL_SAFE_NO_PAD,
};
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header, request::Parts};
use http_body_util::{BodyExt as _, Full};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
    service::TowerToHyperService,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::books::{Books, Issued};

/// The largest body that `…/large/KIB` returns.
const LARGEST_KIB: usize = 4 * 1024;

type Reply = Response<Full<Bytes>>;

/// Serves the product on a free port until the program ends. Returns its URL.
pub(crate) async fn serve(books: Arc<Books>) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move {
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let _ = stream.set_nodelay(true);
            let books = Arc::clone(&books);
            tokio::spawn(async move {
                let service = tower::service_fn(move |request| {
                    let books = Arc::clone(&books);
                    async move { Ok::<_, Infallible>(respond(&books, request).await) }
                });
                let server = auto::Builder::new(TokioExecutor::new());
                let service = TowerToHyperService::new(service);
                // The runs kill services on purpose, so connections break.
                let _ = server.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    Ok(url)
}

async fn respond<B>(books: &Books, request: Request<B>) -> Reply
where
    B: http_body::Body,
{
    let (head, body) = request.into_parts();
    let body = match body.collect().await {
        Ok(body) => body.to_bytes(),
        Err(_) => return reply(StatusCode::BAD_REQUEST, &json!({})),
    };
    let path = head.uri.path().trim_start_matches('/').to_owned();
    let (host, rest) = path.split_once('/').unwrap_or((path.as_str(), ""));
    let named = |name: &str| {
        let value = head.headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default()
    };
    let authorization = named("authorization");
    match rest {
        _ if host == "hooks" => {
            let event = named("webhook-id").to_owned();
            books.state().delivered.push(event);
            reply(StatusCode::OK, &json!({}))
        }
        "oauth/revoke" => {
            let refuses = books.state().behaviour.refuses;
            if let Some(refused) = refuses.and_then(refusal) {
                return refused;
            }
            books.revoke(&parameter(&body, "token"));
            reply(StatusCode::OK, &json!({}))
        }
        _ if let Some(service) = rest.strip_suffix("/oauth/token") => {
            let service = service.parse().unwrap_or_default();
            token(books, (service, host), authorization, &body).await
        }
        _ => {
            let token = authorization.strip_prefix("Bearer ").unwrap_or_default();
            let submitted = match rest.rsplit('/').next() {
                Some("statements") => Some(Submitted::statement(&head, &body)),
                Some("send") => Some(Submitted::mail(&body)),
                _ => None,
            };
            api(books, host, token, &head.method, rest, submitted).await
        }
    }
}

async fn token(
    books: &Books,
    (service, host): (usize, &str),
    authorization: &str,
    body: &[u8],
) -> Reply {
    let client = client(authorization).unwrap_or_else(|| parameter(body, "client_id"));
    let refuses = books.state().behaviour.refuses;
    if let Some(refused) = refuses.and_then(refusal) {
        return refused;
    }
    let issued = match parameter(body, "grant_type").as_str() {
        "authorization_code" => books.exchange(&parameter(body, "code"), &client, host),
        _ => books.refresh(service, &parameter(body, "refresh_token"), &client, host),
    };
    let Some(issued) = issued else {
        let refused = json!({ "error": "invalid_grant", "error_description": "not alive" });
        return reply(StatusCode::BAD_REQUEST, &refused);
    };
    tokio::time::sleep(issued.delay).await;
    books.responded(issued.grant);
    reply(StatusCode::OK, &tokens(&issued, &client))
}

/// A body of this many KiB. All bodies share one buffer, so that a hundred readers need no extra memory.
fn large_body(kib: usize) -> Bytes {
    static WHOLE: OnceLock<Bytes> = OnceLock::new();
    let whole = WHOLE.get_or_init(|| vec![b'x'; LARGEST_KIB * 1024].into());
    whole.slice(..kib.min(LARGEST_KIB) * 1024)
}

fn refusal((status, error): (u16, &'static str)) -> Option<Reply> {
    let status = StatusCode::from_u16(status).ok()?;
    Some(reply(status, &json!({ "error": error })))
}

/// The response holds the members by which each product names its user.
fn tokens(issued: &Issued, client: &str) -> Value {
    let user = format!("user-{}", issued.grant);
    let claims = json!({
        "iss": "https://accounts.google.com",
        "aud": client,
        "sub": user,
        "email": format!("{user}@example.com"),
        "exp": 4_102_444_800_i64,
    });
    let claims = URL_SAFE_NO_PAD.encode(claims.to_string());
    let mut members = json!({
        "access_token": issued.access,
        "token_type": "bearer",
        "expires_in": issued.lifetime.as_secs(),
        "id_token": format!("e30.{claims}.e30"),
        "username": user,
        "bot_id": user,
        "workspace_name": user,
        "scope": issued.scope,
    });
    if let Some(refresh) = &issued.refresh {
        members["refresh_token"] = json!(refresh);
    }
    members
}

/// A write in a body. Its text is a path that [`api`] reads.
struct Submitted {
    text: String,
    /// The request ID, and whether the request says that it's a repeat.
    request: Option<(String, bool)>,
}

impl Submitted {
    /// A statement for the warehouse.
    fn statement(head: &Parts, body: &[u8]) -> Self {
        let query = head.uri.query().unwrap_or_default().as_bytes();
        let says_again = parameter(query, "retry") == "true";
        Self {
            text: parameter(body, "statement"),
            request: Some((parameter(query, "requestId"), says_again)),
        }
    }

    /// A mail whose subject is the path.
    fn mail(body: &[u8]) -> Self {
        let mail = URL_SAFE_NO_PAD.decode(parameter(body, "raw"));
        let mail = String::from_utf8(mail.unwrap_or_default()).unwrap_or_default();
        let subject = mail.lines().find_map(|line| line.strip_prefix("Subject: "));
        Self {
            text: subject.unwrap_or_default().to_owned(),
            request: None,
        }
    }
}

/// `…/slow/MS…` responds after this many milliseconds, `…/large/KIB` returns this many KiB, and `…/stalled` never
/// responds. A POST to `…/write/ID` counts as a write as soon as it arrives.
async fn api(
    books: &Books,
    host: &str,
    token: &str,
    method: &Method,
    path: &str,
    submitted: Option<Submitted>,
) -> Reply {
    books.state().arrived += 1;
    if books.call(token, host).is_none() {
        return reply(
            StatusCode::UNAUTHORIZED,
            &json!({ "message": "the token is not alive" }),
        );
    }
    let path = submitted.as_ref().map_or(path, |one| one.text.as_str());
    let after = |name: &str| {
        let mut segments = path.split('/').skip_while(|segment| *segment != name);
        segments.nth(1).map(str::to_owned)
    };
    let request = submitted.as_ref().and_then(|one| one.request.as_ref());
    let executes = request.is_none_or(|(id, says_again)| books.executes(id, *says_again));
    if let Some(id) = after("write").filter(|_| executes && *method == Method::POST) {
        books.write(id);
    }
    if path.ends_with("/stalled") {
        std::future::pending::<()>().await;
    }
    let wait = after("slow").filter(|_| executes);
    if let Some(wait) = wait.and_then(|text| text.parse().ok()) {
        tokio::time::sleep(Duration::from_millis(wait)).await;
    }
    books.state().answered += 1;
    let large: Option<usize> = after("large").and_then(|text| text.parse().ok());
    match large {
        Some(kib) => {
            let mut response = Response::new(Full::from(large_body(kib)));
            response.headers_mut().insert(
                header::CONTENT_TYPE,
                header::HeaderValue::from_static("application/octet-stream"),
            );
            response
        }
        None => reply(
            StatusCode::OK,
            &json!({ "ok": true, "code": "090001", "statementHandle": "one", "data": [], "id": "one" }),
        ),
    }
}

fn reply(status: StatusCode, body: &Value) -> Reply {
    let mut response = Response::new(Full::from(body.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        header::HeaderValue::from_static("application/json"),
    );
    response
}

/// The client ID in HTTP Basic credentials.
fn client(authorization: &str) -> Option<String> {
    let encoded = authorization.strip_prefix("Basic ")?;
    let text = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    Some(text.split_once(':')?.0.to_owned())
}

/// A parameter of a form or a JSON object. Empty if it's absent.
fn parameter(body: &[u8], name: &str) -> String {
    if let Ok(Value::Object(members)) = serde_json::from_slice(body) {
        let text = members.get(name).and_then(Value::as_str);
        return text.unwrap_or_default().to_owned();
    }
    url::form_urlencoded::parse(body)
        .find(|(found, _)| found == name)
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}
