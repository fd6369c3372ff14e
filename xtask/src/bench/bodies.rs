//! Larger bodies: how they pass, and the memory that they take.

use anyhow::{Result, ensure};

use super::{
    bound::{Bound, Bounds, shown},
    http::Request,
    responses::{HUGE, HUGE_PATH, LARGE, LARGE_PATH, MEDIUM, THREADS, UPLOAD_PATH},
    stage::Stage,
    stead::Stead,
    subject::{Subject, baselines, measure},
    table::{self, figures},
};

/// 20 KB and 5 MB, and 1 GB in either direction.
pub(crate) fn run(stage: &Stage) -> Result<String> {
    let store = stage.store()?;
    let mut text = String::new();
    for (title, path, bytes, tool) in [
        ("20 KB", THREADS, MEDIUM, Some("mail_list_threads")),
        ("5 MB", LARGE_PATH, LARGE, None),
    ] {
        for concurrency in [32, 1] {
            let stead = Stead::start(store)?;
            let mut subjects = baselines(stage, path);
            subjects.push(Subject::new(
                "proxied",
                stage,
                &stead.process,
                stead.proxy(path),
            ));
            let tool = tool.map(|tool| Subject::new(tool, stage, &stead.process, stead.tool(tool)));
            subjects.extend(tool);
            let measured = measure(stage, title, concurrency, bytes, &subjects)?;
            text += &format!(
                "### {title}, concurrency {concurrency}\n\n{}\n\n",
                table::of(&measured)
            );
            if bytes == LARGE
                && concurrency == 32
                && let (Some(nginx), Some(stead)) =
                    (measured.get(table::NGINX), figures(&measured, "proxied"))
            {
                let nginx = table::Figures::of(&nginx.1);
                let mut bounds = Bounds::default();
                bounds.add(
                    "requests/s of 5 MB, of nginx",
                    Bound::AtLeast(0.9),
                    stead.per_second / nginx.per_second,
                );
                text += &format!("{}\n\n", bounds.list());
            }
        }
    }
    Ok(text + &huge(stage)?)
}

/// The most memory while 1 GB passes.
fn huge(stage: &Stage) -> Result<String> {
    let mut table = String::from(
        "### 1 GB\n\n| direction | seconds | most memory more than before, MiB |\n|---|---|---|\n",
    );
    let mut bounds = Bounds::default();
    for (direction, path) in [("download", HUGE_PATH), ("upload", UPLOAD_PATH)] {
        let stead = Stead::start(stage.store()?)?;
        let path = Stead::path(path);
        let mut request = match direction {
            "download" => Request::get(stead.port, &path),
            _ => Request::post(stead.port, &path),
        };
        request.bearer = Some(&stead.bearers[0]);
        request.content_type = "message/rfc822";
        // What the first call allocates once is there before.
        let small = Stead::path("/gmail/v1/users/me/profile");
        let mut first = Request::get(stead.port, &small);
        first.bearer = request.bearer;
        first.stream(0)?;
        let before = stead.process.resident_bytes()?;
        stead.process.peak_bytes()?;
        let began = crate::shell::now();
        let received = request.stream(if direction == "upload" { HUGE } else { 0 })?;
        let seconds = began.elapsed().as_secs_f64();
        ensure!(
            direction == "upload" || received == HUGE,
            "{received} bytes came"
        );
        let grown = stead.process.peak_bytes()?.saturating_sub(before) as f64 / 1024.0 / 1024.0;
        table += &format!("| {direction} | {} | {} |\n", shown(seconds), shown(grown));
        bounds.add(
            &format!("MiB that the {direction} of 1 GB takes"),
            Bound::AtMost(16.0),
            grown,
        );
    }
    Ok(format!("{table}\n{}", bounds.list()))
}
