//! The protocol's transport. It also keeps the sessions that clients of the older revision open.
//!
//! Each MCP session has its own: no other session can continue them. So the ID of such a session isn't a secret.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{body::Body, extract::Request, response::Response};
use http::{HeaderMap, Method};
use http_body_util::BodyExt as _;
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService,
        session::{SessionId, SessionManager as _, local::LocalSessionManager},
    },
};
use stead::{Error, ErrorKind};
use stead_core::{environment::Environment, identifier::McpSessionId, ports::BoxFuture};
use url::Url;

use super::{
    direct,
    lenient::{Asked, LARGEST},
    links::Links,
};

/// A client's session ends after this long without a message.
const IDLE: Duration = Duration::from_secs(30 * 60);
/// Maximum number that can be open through one MCP session, and in all.
const MOST_OPEN: usize = 32;
const MOST_SESSIONS: usize = 10_000;
/// How soon a disconnected client may return.
const RETRY: Duration = Duration::from_secs(3);

/// The protocol's server in an environment.
pub(crate) struct Mcp {
    transport: Box<dyn Serve>,
    /// Links for calls that bypass the transport.
    direct: Option<Arc<Links>>,
}

impl Mcp {
    pub(super) fn new<H>(environment: &Environment, allowed_origins: &[String], handler: H) -> Self
    where
        H: ServerHandler + Clone + Sync,
    {
        let origins = origins(environment.public_url(), allowed_origins);
        // The host was already checked, as for pages.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_allowed_origins(origins)
            .enforce_origin_validation()
            // A response with nothing before it is one message, and needs no stream.
            .with_json_response(true)
            .with_sse_retry(Some(RETRY))
            .with_max_request_body_bytes(LARGEST);
        Self {
            transport: Box::new(Sessions {
                handler,
                config,
                open: Mutex::default(),
            }),
            direct: None,
        }
    }

    /// The same server, which answers a call without the transport if it doesn't need one.
    pub(super) fn with_direct_calls(self, links: Arc<Links>) -> Self {
        let direct = Some(links);
        Self { direct, ..self }
    }

    /// Responds to a message of the MCP session with this ID, which is the environment's caller.
    ///
    /// # Errors
    /// [`ErrorKind::RateLimited`] and [`ErrorKind::Overloaded`] if too many are open.
    pub(crate) async fn serve(
        &self,
        session: McpSessionId,
        environment: &Environment,
        mut request: Request,
    ) -> Result<Response, Error> {
        if let Some(links) = &self.direct {
            match direct::serve(environment, links, request).await {
                Ok(response) => return Ok(response),
                Err(other) => request = other,
            }
        }
        let (asked, request) = Asked::read(request).await;
        let mut response = self.transport.serve(session, request).await?;
        if let Some(repaired) = asked.repaired(&response) {
            response = self.transport.serve(session, repaired).await?;
        }
        Ok(asked.respond(response).await)
    }
}

/// Origins of pages that may send messages: the public URL's, those that the operator allows, and, if the public URL is
/// on this machine, the machine's other names.
fn origins(public: &Url, allowed: &[String]) -> Vec<String> {
    let port = public.port_or_known_default().unwrap_or(443);
    let of = |host: &str| format!("{}://{host}:{port}", public.scheme());
    let mut origins = vec![of(public.host_str().unwrap_or_default())];
    let is_loopback = match public.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    if is_loopback {
        origins.extend(["localhost", "127.0.0.1", "[::1]"].map(of));
    }
    origins.extend(allowed.iter().cloned());
    origins
}

trait Serve: Send + Sync {
    fn serve(
        &self,
        session: McpSessionId,
        request: Request,
    ) -> BoxFuture<'_, Result<Response, Error>>;
}

struct Sessions<H> {
    handler: H,
    config: StreamableHttpServerConfig,
    /// The sessions that clients of the older revision have opened, by MCP session.
    open: Mutex<HashMap<McpSessionId, Arc<Opened>>>,
}

/// The sessions that clients have opened through one MCP session.
struct Opened {
    manager: Arc<LocalSessionManager>,
    clients: Mutex<Clients>,
}

/// When each client sent its last message, and how many of its messages are running, by its session's ID.
#[derive(Default)]
struct Clients {
    messages: u64,
    of: HashMap<String, (u64, usize)>,
}

impl Opened {
    fn clients(&self) -> MutexGuard<'_, Clients> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a message of a client. The returned value lives as long as the response.
    fn note(self: &Arc<Self>, client: &str) -> UnderWay {
        let mut clients = self.clients();
        clients.messages += 1;
        let now = clients.messages;
        let (last, under_way) = clients.of.entry(client.to_owned()).or_default();
        (*last, *under_way) = (now, *under_way + 1);
        UnderWay(Arc::clone(self), client.to_owned())
    }

    /// Ends the client that has been silent for the longest time, because many clients never close their session.
    async fn end_an_idle_one(&self) -> bool {
        let open: Vec<SessionId> = self.manager.sessions.read().await.keys().cloned().collect();
        let idle = {
            let mut clients = self.clients();
            clients
                .of
                .retain(|id, _| open.iter().any(|one| **one == **id));
            let at = |id: &SessionId| clients.of.get(&**id).copied().unwrap_or_default();
            let idle = open.iter().filter(|id| at(id).1 == 0);
            idle.min_by_key(|id| at(id).0).cloned()
        };
        match idle {
            Some(id) => self.manager.close_session(&id).await.is_ok(),
            None => false,
        }
    }
}

/// A message without a complete response.
struct UnderWay(Arc<Opened>, String);

impl Drop for UnderWay {
    fn drop(&mut self) {
        if let Some((_, under_way)) = self.0.clients().of.get_mut(&self.1) {
            *under_way = under_way.saturating_sub(1);
        }
    }
}

impl<H: ServerHandler + Clone + Sync> Serve for Sessions<H> {
    fn serve(
        &self,
        session: McpSessionId,
        request: Request,
    ) -> BoxFuture<'_, Result<Response, Error>> {
        Box::pin(async move {
            let opened = self.opened(session)?;
            let client = session_of(request.headers());
            let posts = request.method() == Method::POST;
            let is_full = opened.manager.sessions.read().await.len() >= MOST_OPEN;
            if posts && client.is_none() && is_full && !opened.end_an_idle_one().await {
                return Err(Error::new(
                    ErrorKind::RateLimited,
                    format!("{MOST_OPEN} clients with this token are waiting for a response; wait until one finishes, or use another token"),
                )
                .with_retry_after(Duration::from_secs(60)));
            }
            // A stream that a client holds open isn't a message.
            let under_way = client.filter(|_| posts).map(|client| opened.note(&client));
            let handler = self.handler.clone();
            let service = StreamableHttpService::new(
                move || Ok(handler.clone()),
                Arc::clone(&opened.manager),
                self.config.clone(),
            );
            let response = service.handle(request).await;
            if let (None, Some(client)) = (&under_way, session_of(response.headers())) {
                drop(opened.note(&client));
            }
            Ok(response.map(|body| {
                Body::new(body.map_err(move |error| {
                    let _ = &under_way;
                    error
                }))
            }))
        })
    }
}

impl<H> Sessions<H> {
    /// The open sessions of an MCP session.
    fn opened(&self, session: McpSessionId) -> Result<Arc<Opened>, Error> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = open.get(&session) {
            return Ok(Arc::clone(opened));
        }
        // Remove those without open sessions and running requests first.
        open.retain(|_, opened| {
            let sessions = opened.manager.sessions.try_read();
            let empty = sessions.is_ok_and(|open| open.is_empty());
            !empty || Arc::strong_count(opened) > 1
        });
        if open.len() >= MOST_SESSIONS {
            let message = format!(
                "{MOST_SESSIONS} MCP sessions are in use, the maximum of this service; try again later"
            );
            let error = Error::new(ErrorKind::Overloaded, message);
            return Err(error.with_retry_after(Duration::from_secs(60)));
        }
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(IDLE);
        manager.session_config.sse_retry = Some(RETRY);
        let opened = Arc::new(Opened {
            manager: Arc::new(manager),
            clients: Mutex::default(),
        });
        open.insert(session, Arc::clone(&opened));
        Ok(opened)
    }
}

/// The session that a header names.
fn session_of(headers: &HeaderMap) -> Option<String> {
    let id = headers.get("mcp-session-id")?;
    id.to_str().ok().map(str::to_owned)
}

/// Handles messages instead of the environment's tools, for tests of the transport.
#[derive(Clone)]
pub struct Handlers(Make);

type Make = Arc<dyn Fn(&Environment, &[String]) -> Mcp + Send + Sync>;

impl Handlers {
    /// This handler.
    pub fn new<H: ServerHandler + Clone + Sync>(handler: H) -> Self {
        Self(Arc::new(move |environment, allowed_origins| {
            Mcp::new(environment, allowed_origins, handler.clone())
        }))
    }

    pub(super) fn server(&self, environment: &Environment, allowed_origins: &[String]) -> Mcp {
        (self.0)(environment, allowed_origins)
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers").finish_non_exhaustive()
    }
}
