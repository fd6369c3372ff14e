//! An axum application that is its own Stead: it nests the service, connects the user who is signed in, confirms who
//! came back, and shows that user's mails. The sandbox plays the product, and the program is also its own visitor.

use std::{
    collections::HashMap,
    error::Error,
    io::{Write as _, stdout},
};

use axum::{
    Router,
    extract::{Query, State},
    response::Redirect,
    routing::get,
};
use http::{HeaderValue, Method, Request, header};
use stead::{
    NewConnection, Platform,
    mail::FetchMails,
    ports::{Body, Transport as _},
    transport::{ReqwestTransport, TransportOptions},
};
use stead_sandbox::{CLIENT_ID, CLIENT_SECRET, Sandbox};
use tokio::net::TcpListener;

/// The signed-in user. Your application reads this from its session.
const SIGNED_IN: &str = "user-42";

#[derive(Clone)]
struct App {
    stead: Platform,
    url: String,
}

/// The whole application. In your own, a connection uses the product's real OAuth client, and you leave out `gateway`.
fn application(app: App) -> Router {
    let service = stead_server::router(&app.stead);
    Router::new()
        .route("/connect", get(connect))
        .route("/connected", get(connected))
        .with_state(app)
        .nest("/stead", service)
}

/// The button "Connect your mailbox".
async fn connect(State(app): State<App>) -> Result<Redirect, String> {
    let user = app.stead.account("mail", SIGNED_IN).map_err(shown)?;
    let link = user
        .authorize()
        .verify_url(format!("{}/connected", app.url));
    Ok(Redirect::to(&link.await.map_err(shown)?.link))
}

/// The user is back. Only your application knows who is signed in at this browser.
async fn connected(
    State(app): State<App>,
    Query(back): Query<HashMap<String, String>>,
) -> Result<String, String> {
    let id = back.get("authorization_id").map_or("", String::as_str);
    let account = app.stead.authorizations().verify(id, SIGNED_IN).await;
    let account = account.map_err(shown)?;
    let user = app.stead.account("mail", SIGNED_IN).map_err(shown)?;
    let unread = FetchMails::query("is:unread");
    let mails = user.call(&unread).await.map_err(shown)?;
    let mut page = format!(
        "Connected as {}. Unread:\n",
        account.product_user.unwrap_or_default()
    );
    for mail in mails.output().map_err(shown)?.messages {
        let subject = mail.readable.and_then(|mail| mail.subject);
        page += &format!("  {}\n", subject.unwrap_or_default());
    }
    Ok(page)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the form that `map_err` asks for"
)]
fn shown(error: stead::Error) -> String {
    error.to_string()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let sandbox = Sandbox::start().await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let stead = Platform::builder(&format!("{url}/stead"))
        .ephemeral_key()
        .in_memory()
        .gateway(&sandbox.url)
        .build()
        .await?;
    let mail = NewConnection::mail("mail").client(CLIENT_ID, CLIENT_SECRET);
    stead.connections().ensure(mail).await?;
    let app = App {
        stead,
        url: url.clone(),
    };
    tokio::spawn(async move { axum::serve(listener, application(app)).await });

    let mut browser = Browser::new()?;
    let link = browser.open(Method::GET, &format!("{url}/connect")).await?;
    // The page of the link has one button.
    let product = browser.open(Method::POST, &link.location).await?;
    let back = sandbox
        .sandbox
        .consent(&product.location, "ada@example.com", &["all"])?;
    let callback = browser.open(Method::GET, back.as_str()).await?;
    let page = browser.open(Method::GET, &callback.location).await?;
    write!(stdout(), "{}", page.text)?;
    Ok(())
}

/// Ada's browser. It keeps one cookie, and follows redirects only when told.
struct Browser {
    http: ReqwestTransport,
    cookie: HeaderValue,
}

struct Page {
    location: String,
    text: String,
}

impl Browser {
    fn new() -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            http: ReqwestTransport::new(TransportOptions::default())?,
            cookie: HeaderValue::from_static(""),
        })
    }

    async fn open(&mut self, method: Method, url: &str) -> Result<Page, Box<dyn Error>> {
        let request = Request::builder()
            .method(method)
            .uri(url)
            .header(header::COOKIE, &self.cookie)
            .body(Body::Empty)?;
        let (head, body) = self.http.send(request).await?.into_parts();
        let text = String::from_utf8(body.collect(1 << 20).await?.to_vec())?;
        if head.status.is_client_error() || head.status.is_server_error() {
            return Err(format!("{url}: {} {text}", head.status).into());
        }
        if let Some(cookie) = head.headers.get(header::SET_COOKIE) {
            let pair = cookie.to_str()?.split(';').next().unwrap_or_default();
            self.cookie = pair.parse()?;
        }
        let location = head.headers.get(header::LOCATION);
        let location = location.map(HeaderValue::to_str).transpose()?;
        Ok(Page {
            location: location.unwrap_or_default().to_owned(),
            text,
        })
    }
}
