//! Traces for an OpenTelemetry collector, over HTTP as protobuf.
//!
//! Stead sends them if `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` names a collector. The
//! caller's `traceparent` decides the sampling, otherwise `OTEL_TRACES_SAMPLER` does.

use std::{env, pin::Pin, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use opentelemetry::{
    Context, Key,
    trace::{
        SpanContext, SpanId, SpanKind, TraceContextExt as _, TraceFlags, TraceId, TraceState,
        TracerProvider as _,
    },
};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::WithHttpConfig as _;
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    trace::{SdkTracerProvider, SpanData, SpanExporter},
};
use stead::transport::{ReqwestTransport, TransportOptions};
use stead_core::{
    ports::{Body, Transport},
    trace::TraceParent,
};
use tokio::runtime::Handle;
use tracing::{Level, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::{Layer as _, filter::Targets};

use crate::{
    failure::{Failure, Outcome},
    logs::More,
};

const ENDPOINTS: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
];
/// Most bytes of a collector's response.
const RESPONSE_BYTES: u64 = 64 * 1024;
/// How long the process waits at its end to send the last spans.
const LAST: Duration = Duration::from_secs(5);

/// The spans that aren't sent yet.
#[derive(Debug)]
pub(crate) struct Traces(SdkTracerProvider);

impl Traces {
    /// Traces, if a collector is named.
    pub(crate) fn to_collector(runtime: &Handle) -> Outcome<Option<Self>> {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        if !ENDPOINTS.into_iter().any(is_set) {
            return Ok(None);
        }
        let transport = ReqwestTransport::new(TransportOptions::default());
        let transport = transport.map_err(|error| refused(&error))?;
        let client = Client {
            transport: Arc::new(transport),
            runtime: runtime.clone(),
        };
        let exporter = opentelemetry_otlp::SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .build()
            .map_err(|error| refused(&error))?;
        Ok(Some(Self::by(exporter)))
    }

    fn by(exporter: impl SpanExporter + 'static) -> Self {
        let resource = Resource::builder();
        let resource = match env::var_os("OTEL_SERVICE_NAME") {
            Some(_) => resource,
            None => resource.with_service_name("stead"),
        };
        let provider = SdkTracerProvider::builder()
            .with_resource(resource.build())
            .with_batch_exporter(Named(exporter));
        Self(provider.build())
    }

    /// The layer that makes spans of requests and of the calls in them.
    pub(crate) fn layer(&self) -> More {
        let layer = tracing_opentelemetry::layer().with_tracer(self.0.tracer("stead"));
        let targets = [
            ("stead_server::middleware", Level::INFO),
            ("stead::call", Level::INFO),
        ];
        let targets = Targets::new().with_targets(targets);
        layer.with_filter(targets).boxed()
    }

    /// Sends the remaining spans.
    pub(crate) fn end(&self) {
        if let Err(error) = self.0.shutdown_with_timeout(LAST) {
            tracing::warn!(%error, "couldn't send the last spans");
        }
    }
}

fn refused(error: &dyn std::error::Error) -> Failure {
    Failure::configuration(
        format!("can't send traces: {error}"),
        "Check the environment variables whose names start with OTEL_.",
    )
}

/// Makes the span of a request a child of its caller's.
pub(crate) fn follow(span: &Span, parent: TraceParent) {
    let flags = match parent.sampled {
        true => TraceFlags::SAMPLED,
        false => TraceFlags::NOT_SAMPLED,
    };
    let parent = SpanContext::new(
        TraceId::from_bytes(parent.trace_id.to_bytes()),
        SpanId::from_bytes(parent.span_id),
        flags,
        true,
        TraceState::default(),
    );
    // Without the layer, the span has no extensions to set it on.
    let _ = span.set_parent(Context::new().with_remote_span_context(parent));
}

/// Names the spans of requests by method and route, as the conventions for HTTP servers require.
#[derive(Debug)]
struct Named<E>(E);

impl<E: SpanExporter> SpanExporter for Named<E> {
    fn export(&self, mut batch: Vec<SpanData>) -> impl Future<Output = OTelSdkResult> + Send {
        for span in &mut batch {
            let attribute = |name: &'static str| {
                let name = Key::from_static_str(name);
                let mut attributes = span.attributes.iter();
                let found = attributes.find(|attribute| attribute.key == name)?;
                Some(found.value.as_str().into_owned())
            };
            if let (Some(method), Some(route)) = (attribute("method"), attribute("route")) {
                span.name = format!("{method} {route}").into();
                span.span_kind = SpanKind::Server;
            }
        }
        self.0.export(batch)
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.0.set_resource(resource);
    }
}

/// Stead's transport for the thread that sends spans, which isn't part of the runtime.
#[derive(Clone)]
struct Client {
    transport: Arc<ReqwestTransport>,
    runtime: Handle,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

impl HttpClient for Client {
    fn send_bytes<'s, 'f>(
        &'s self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'f>>
    where
        's: 'f,
        Self: 'f,
    {
        let transport = Arc::clone(&self.transport);
        let sent = self.runtime.spawn(async move {
            let response = transport.send(request.map(Body::Bytes)).await?;
            let (head, body) = response.into_parts();
            let body = body.collect(RESPONSE_BYTES).await?;
            Ok::<_, HttpError>(Response::from_parts(head, body))
        });
        Box::pin(async move { sent.await? })
    }
}

#[cfg(test)]
mod tests {
    use std::{mem, sync::Mutex};

    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpListener,
    };
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const UNSAMPLED: &str = "00-1bf7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

    /// Heads and bodies of requests.
    type Received = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

    /// A collector: the requests that it received.
    async fn collect(listener: TcpListener, received: Received) {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (mut all, mut piece) = (Vec::new(), [0; 4096]);
            let head = loop {
                let count = stream.read(&mut piece).await.unwrap();
                all.extend_from_slice(&piece[..count]);
                if let Some(end) = all.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                    break end + 4;
                }
            };
            let text = String::from_utf8(all[..head].to_vec())
                .unwrap()
                .to_lowercase();
            let length = text.split("content-length: ").nth(1).unwrap();
            let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
            while all.len() < head + length {
                let count = stream.read(&mut piece).await.unwrap();
                all.extend_from_slice(&piece[..count]);
            }
            let body = all.split_off(head);
            received.lock().unwrap().push((text, body));
            let response = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            stream.write_all(response.as_bytes()).await.unwrap();
        }
    }

    #[test]
    fn a_collector_gets_only_spans_of_sampled_callers() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::default();
        runtime.spawn(collect(listener, Arc::clone(&received)));
        let transport = ReqwestTransport::new(TransportOptions::default()).unwrap();
        let client = Client {
            transport: Arc::new(transport),
            runtime: runtime.handle().clone(),
        };
        let exporter = opentelemetry_otlp::SpanExporter::builder()
            .with_http()
            .with_http_client(client);
        let exporter = opentelemetry_otlp::WithExportConfig::with_endpoint(
            exporter,
            format!("http://{address}/v1/traces"),
        );
        let traces = Traces::by(exporter.build().unwrap());
        let subscriber = tracing_subscriber::registry().with(traces.layer());
        tracing::subscriber::with_default(subscriber, || {
            for (parent, route) in [(PARENT, "/v1/kept"), (UNSAMPLED, "/v1/dropped")] {
                let span = tracing::info_span!(target: "stead_server::middleware", "request", method = "POST", route);
                follow(&span, TraceParent::parse(parent).unwrap());
                span.in_scope(|| {
                    tracing::info!(target: "stead::call", tool = "mail_fetch_mails", "call");
                });
            }
            drop(tracing::info_span!(target: "hyper", "of others"));
        });
        traces.end();
        let received = mem::take(&mut *received.lock().unwrap());
        let [(head, body)] = &received[..] else {
            panic!("{} requests", received.len())
        };
        assert!(head.starts_with("post /v1/traces http/1.1\r\n"), "{head}");
        assert!(
            head.contains("content-type: application/x-protobuf"),
            "{head}"
        );
        // Protobuf contains texts and IDs unchanged.
        let has = |part: &[u8]| body.windows(part.len()).any(|bytes| bytes == part);
        let parent = TraceParent::parse(PARENT).unwrap();
        assert!(has(&parent.trace_id.to_bytes()) && has(&parent.span_id));
        for part in ["service.name", "stead", "POST /v1/kept", "mail_fetch_mails"] {
            assert!(has(part.as_bytes()), "{part}");
        }
        let unsampled = TraceParent::parse(UNSAMPLED).unwrap();
        assert!(!has(&unsampled.trace_id.to_bytes()));
        assert!(!has(b"/v1/dropped") && !has(b"of others"));
    }
}
