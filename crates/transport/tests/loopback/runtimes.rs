//! One transport in several runtimes.

use std::thread;

use stead_core::ports::Transport as _;
use tokio::{runtime::Builder, sync::oneshot};

use super::{
    get,
    server::{Server, Then},
    transport, whole,
};

const HELLO: &[&[u8]] = &[b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"];

#[tokio::test]
async fn a_stopped_runtime_closes_only_its_own_connections() {
    let server = Server::start(HELLO, Then::Listen).await;
    let (transport, address) = (transport(), server.to_string());
    let here = async || {
        let response = transport.send(get(&address)).await.unwrap();
        assert_eq!(whole(response).await.unwrap(), "hello");
    };
    let elsewhere = async || {
        let (transport, address) = (transport.clone(), address.clone());
        let (ended, end) = oneshot::channel();
        thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            let exchange = async { whole(transport.send(get(address)).await.unwrap()).await };
            let body = runtime.block_on(exchange);
            drop(runtime);
            ended.send(body.unwrap()).unwrap();
        });
        assert_eq!(end.await.unwrap(), "hello");
    };
    here().await;
    elsewhere().await;
    here().await;
    assert_eq!(server.accepted(), 2);
    elsewhere().await;
    here().await;
    assert_eq!(server.accepted(), 3);
}
