//! `/v1/events`, through the router and through a server that shuts down.

use axum::body::Body;
use futures_util::{FutureExt as _, StreamExt as _};
use http::{Response, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::Value;
use stead_core::resource::DeleteAppCredential;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::oneshot,
};

use crate::{
    Server,
    testing::{TestService, everything},
};

/// A service with the account `ada`, and the cursor after which its feed continues.
async fn service() -> (TestService, String) {
    let service = TestService::new().await.with_account("ada").await;
    let latest = service.get("/v1/events?after=latest").await.json();
    (service, latest["cursor"].as_str().unwrap().to_owned())
}

async fn change(service: &TestService, verb: &str) {
    let path = format!("/v1/accounts/mail/ada/{verb}");
    assert_eq!(
        service.call("POST", &path, None).await.status,
        StatusCode::OK
    );
}

fn types(page: &Value) -> Vec<&str> {
    let items = page["items"].as_array().unwrap().iter();
    items.map(|event| event["type"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_invalid_request_for_events_is_refused_with_the_place() {
    let (service, _) = service().await;
    for (query, place) in [
        ("limit=0", "/limit"),
        ("limit=501", "/limit"),
        ("wait=31", "/wait"),
        ("wait=x", "/wait"),
        ("after=x", "/after"),
        ("types=acount.*", "/types"),
        ("page_token=x", "/page_token"),
    ] {
        let refused = service.get(&format!("/v1/events?{query}")).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{query}");
        assert_eq!(refused.json()["violations"][0]["path"], place, "{query}");
        let stream = service
            .request("GET", &format!("/v1/events?{query}"))
            .header("accept", "text/event-stream");
        let refused = service.send(stream.body(Body::empty()).unwrap()).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{query}");
    }
    let stream = service.request("GET", "/v1/events?newest_first=true");
    let stream = stream.header("accept", "text/event-stream");
    let refused = service.send(stream.body(Body::empty()).unwrap()).await;
    assert_eq!(refused.json()["violations"][0]["path"], "/newest_first");
}

/// The stream of a request, while it is open.
async fn open(service: &TestService, after: &str, last: Option<&str>) -> Response<Body> {
    use tower::ServiceExt as _;
    let path = format!("/v1/events?types=account.*&after={after}");
    let mut request = service
        .request("GET", &path)
        .header("accept", "text/event-stream");
    if let Some(last) = last {
        request = request.header("last-event-id", last);
    }
    let request = request.body(Body::empty()).unwrap();
    let response = service.router.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    response
}

#[tokio::test]
async fn a_stream_shows_new_events_and_resumes_after_the_last_id() {
    let (service, latest) = service().await;
    let mut stream = open(&service, &latest, None)
        .await
        .into_body()
        .into_data_stream();
    let mut next =
        async || String::from_utf8(stream.next().await.unwrap().unwrap().into()).unwrap();
    assert_eq!(next().await, "retry: 1000\n\n");
    change(&service, "suspend").await;
    let page = format!("/v1/events?types=account.*&after={latest}&wait=30");
    let page = service.get(&page).await.json();
    assert_eq!(types(&page), ["account.suspended"]);
    let first = next().await;
    let fields: Vec<&str> = first.lines().collect();
    let [event, id, data, ""] = fields[..] else {
        panic!("{first}")
    };
    assert_eq!(event, "event: account.suspended");
    let id = id.strip_prefix("id: ").unwrap();
    let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(
        (&data["cursor"], &data["type"]),
        (&id.into(), &"account.suspended".into())
    );
    change(&service, "resume").await;
    assert!(next().await.starts_with("event: account.resumed\n"));
    // A client that reconnects after the first event.
    let stream = open(&service, &latest, Some(id)).await.into_body();
    let mut stream = stream.into_data_stream();
    let mut next =
        async || String::from_utf8(stream.next().await.unwrap().unwrap().into()).unwrap();
    assert_eq!(next().await, "retry: 1000\n\n");
    assert!(next().await.starts_with("event: account.resumed\n"));
    assert!(stream.next().now_or_never().is_none());
}

#[tokio::test]
async fn a_stream_shows_nothing_more_to_a_revoked_credential() {
    let (service, latest) = service().await;
    let revoked = service.with_credential(everything("revoked")).await;
    let mut stream = open(&revoked, &latest, None).await.into_body();
    let retry = stream.frame().await.unwrap().unwrap().into_data().unwrap();
    assert_eq!(retry, "retry: 1000\n\n");
    let environment = service.platform.environment();
    let credential = service.credential("revoked").await;
    // The stream waits for an event when this comes.
    let (rest, _) = tokio::join!(stream.collect(), async {
        tokio::task::yield_now().await;
        let revoked = environment
            .send(DeleteAppCredential::new(&credential.client_id))
            .await;
        revoked.unwrap();
        change(&service, "suspend").await;
    });
    let rest = rest.unwrap().to_bytes();
    assert!(rest.is_empty(), "{}", String::from_utf8_lossy(&rest));
}

#[tokio::test]
async fn waits_and_streams_end_when_the_service_stops() {
    let (service, latest) = service().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let server = Server::new(service.router.clone());
    let under_way = server.under_way();
    let serving = tokio::spawn(server.serve(
        listener,
        async { drop(stopped.await) },
        std::future::pending(),
    ));
    let ask = async |accept: &str| {
        let request = service.request("GET", "/").body(()).unwrap();
        let token = request.headers()["authorization"]
            .to_str()
            .unwrap()
            .to_owned();
        let mut caller = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "GET /v1/events?after={latest}&wait=30 HTTP/1.1\r\nHost: x\r\nAccept: {accept}\r\nAuthorization: {token}\r\n\r\n"
        );
        caller.write_all(head.as_bytes()).await.unwrap();
        caller
    };
    let mut waiting = ask("application/json").await;
    let mut streaming = ask("text/event-stream").await;
    let mut head = vec![0; 15];
    streaming.read_exact(&mut head).await.unwrap();
    assert_eq!(head, b"HTTP/1.1 200 OK");
    while under_way.count() < 2 {
        tokio::task::yield_now().await;
    }
    stop.send(()).unwrap();
    assert_eq!(serving.await.unwrap(), 0, "none is cut off");
    let (mut page, mut rest) = (String::new(), String::new());
    waiting.read_to_string(&mut page).await.unwrap();
    assert!(
        page.contains("\"items\":[]") && page.contains(&latest),
        "{page}"
    );
    streaming.read_to_string(&mut rest).await.unwrap();
    // The last chunk: the stream has ended in order.
    assert!(rest.ends_with("0\r\n\r\n"), "{rest}");
}

/// The document lists both statuses.
#[tokio::test]
async fn errors_for_unknown_connections_and_methods_match_the_description() {
    let (service, _) = service().await;
    let response = service
        .get("/v1/events?connection_name=a%20b&identifier=ada")
        .await;
    assert_eq!(response.status, StatusCode::NOT_FOUND);
    assert_eq!(response.json()["kind"], "unknown_connection");
    let document = crate::openapi("https://stead.example.com");
    let described = &document["paths"]["/v1/events"]["get"]["responses"]["404"];
    assert!(described.is_object());

    let body = serde_json::json!({ "product": "mail", "method": "FETCH", "path": "/x" });
    let response = service.call("POST", "/v1/policies/test", Some(body)).await;
    assert_eq!(response.status, StatusCode::BAD_REQUEST);
    assert_eq!(response.json()["violations"][0]["path"], "/method");
}
