//! Callers that open connections and send nothing, or stop in the middle.

use tokio::io::AsyncWriteExt as _;

use crate::stage::Stage;

#[tokio::test]
async fn hundreds_of_silent_sockets_do_not_block_others() {
    let stage = Stage::new().await;
    let mut open = Vec::new();
    for number in 0..300 {
        let mut stream = stage.connect().await;
        let beginning: &[u8] = match number % 5 {
            0 => b"",
            1 => b"GET / HT",
            2 => b"PRI * HTTP/2.0\r\n\r\nSM",
            3 => b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
            _ => b"POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ngrant",
        };
        stream.write_all(beginning).await.unwrap();
        open.push(stream);
    }
    stage
        .responds_to_everyone_else("with 300 sockets open")
        .await;
}
