//! Calls over HTTP/2, without TLS as behind a reverse proxy.

use anyhow::Result;

use super::{
    calls::TOOL,
    load::Load,
    programs,
    responses::SMALL,
    stage::Stage,
    stead::Stead,
    store::PRODUCTS,
    subject::{Subject, measure},
    table,
};

pub(crate) fn run(stage: &Stage) -> Result<String> {
    let program = programs::find("h2load", "nghttp2-client")?;
    let path = PRODUCTS[0].path;
    let mut text = String::from(
        "One connection, with as many requests at a time. All speak HTTP/1.1 to the stub, but for direct.\n\n",
    );
    for concurrency in [32, 1] {
        let stead = Stead::start(stage.store()?)?;
        let with = (stage, program.as_path());
        let get = |port: u16| Load::get(port, path);
        let subjects = [
            Subject::http2(
                "direct to the stub",
                with,
                &stage.stub,
                get(stage.stub_ports.http2),
            ),
            Subject::http2(
                "nginx, adds a bearer token",
                with,
                &stage.rival,
                get(stage.rival_ports.http2),
            ),
            Subject::http2(
                "stead serve, proxied",
                with,
                &stead.process,
                stead.proxy(path),
            ),
            Subject::http2(
                "stead serve, a tool",
                with,
                &stead.process,
                stead.tool(TOOL),
            ),
        ];
        let measured = measure(stage, "HTTP/2", concurrency, SMALL, &subjects)?;
        text += &format!(
            "### {concurrency} at a time\n\n{}\n\n",
            table::of(&measured)
        );
    }
    Ok(text)
}
