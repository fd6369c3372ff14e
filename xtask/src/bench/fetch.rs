//! A tool that makes many requests, next to as many proxied ones.

use anyhow::{Context as _, Result};

use super::{
    bound::{Bound, Bounds},
    load::Load,
    responses::{MAILS, MESSAGES},
    stage::Stage,
    stead::Stead,
    subject::{Subject, measure},
    table::{self, figures},
};

const TOOL: &str = "mail_fetch_mails";

pub(crate) fn run(stage: &Stage) -> Result<String> {
    let requests = MAILS + 1;
    let paths: Vec<String> = std::iter::once(format!("{MESSAGES}?maxResults={MAILS}"))
        .chain((0..MAILS).map(|number| format!("{MESSAGES}/m{number}?format=full")))
        .collect();
    let mut text = format!(
        "`{TOOL}` lists {MAILS} mails and gets each: a call of it is {requests} requests of the product. The other subjects send \
         the same requests, and their figures are for one of them.\n\n"
    );
    for concurrency in [32, 1] {
        let stead = Stead::start(stage.store()?)?;
        let each = |port: u16| Load::get_each(port, paths.clone());
        let subjects = [
            Subject::new(
                "direct to the stub",
                stage,
                &stage.stub,
                each(stage.stub_ports.http1),
            ),
            Subject::new("nginx", stage, &stage.rival, each(stage.rival_ports.http1)),
            Subject::new("proxied", stage, &stead.process, stead.proxy_each(&paths)),
            Subject::new(TOOL, stage, &stead.process, stead.tool(TOOL)),
        ];
        let measured = measure(stage, TOOL, concurrency, 512, &subjects)?;
        let of = |name: &str| figures(&measured, name).context("no figures");
        let (tool, proxied, nginx) = (of(TOOL)?, of("proxied")?, of("nginx")?);
        let mut bounds = Bounds::default();
        bounds.add(
            &format!("CPU of `{TOOL}`, of {requests} proxied calls"),
            Bound::AtMost(1.3),
            tool.cpu / (proxied.cpu * requests as f64),
        );
        text += &format!(
            "### Concurrency {concurrency}\n\n{}\n\nFor each of its {requests} requests the tool takes {:.1} us of CPU, {:.2} of nginx.\n\n{}\n\n",
            table::of(&measured),
            tool.cpu / requests as f64,
            tool.cpu / requests as f64 / nginx.cpu,
            bounds.list()
        );
    }
    Ok(text)
}
