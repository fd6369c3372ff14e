//! Requests of calls, which the direct client sends.

#![expect(clippy::unwrap_used, reason = "a test fails by its panic")]

mod loopback;

use stead_core::ports::Purpose;

const PURPOSE: Purpose = Purpose::Call;

/// A request that is sent again because its connection closed uses a new one.
#[tokio::test]
async fn a_pooled_connection_is_not_used_if_a_new_one_is_requested() {
    use loopback::server::{Server, Then};
    use stead_core::ports::{OnNewConnection, Transport as _};

    const HELLO: &[&[u8]] = &[b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"];
    let server = Server::start(HELLO, Then::Listen).await;
    let transport = loopback::transport();
    for (on_new_connection, accepted) in [(false, 1), (false, 1), (true, 2), (false, 2)] {
        let mut request = loopback::get(&server);
        if on_new_connection {
            request.extensions_mut().insert(OnNewConnection);
        }
        let response = transport.send(request).await.unwrap();
        assert_eq!(loopback::whole(response).await.unwrap(), "hello");
        assert_eq!(server.accepted(), accepted);
    }
}
