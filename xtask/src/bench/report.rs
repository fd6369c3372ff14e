//! `docs/reference/performance.md`: a section for each part, replaced when the part is measured again.

use std::{fs, process::Command};

use anyhow::{Context as _, Result};

use super::{Options, PARTS, Part, programs, stage::Stage};
use crate::shell;

const PAGE: &str = "docs/reference/performance.md";
/// What is between these is written by hand, and kept.
const PROFILE: (&str, &str) = ("<!-- profile -->\n", "<!-- /profile -->\n");
const PART_END: &str = "<!-- /part -->\n";

const HEAD: &str = "\
<!-- Made by `cargo xtask bench`; edit by hand only what is between the marks of the profile. -->

# Performance

What a call through Stead costs, next to nginx doing the least that could be called the same: it adds a bearer token and passes
the request on. The product is a stub, nginx too, with fixed responses on the same machine. Stead runs as an operator runs it:
`stead serve`, an SQLite file with 10,000 imported accounts and its key, the history of calls on, plain HTTP.

Figures are medians of rounds; in each round every subject is measured once, one after the other. Each section names the binary,
its rounds and how long each was: fewer or shorter ones than 5 rounds of 10 s, the default, say less. **In parentheses stand the
ratio to nginx and the ratio to direct**, the stub without anything in between. CPU is the time of the subject's own process,
the kernel's work for it included; for direct that is the stub itself. A bound is a goal, and the run does not fail by it:
figures depend on the machine and on what else runs there, ratios less, and instruction counts hardly.

## How to run it again

```
cargo xtask bench                         all parts, with a release that is built first
cargo xtask bench --only calls,start      some of them; the sections of the others stay
cargo xtask bench --short --only calls    a quick look, which is printed and not written here
```

All parts take about an hour and a half besides the build, and 5 GB of disk for a million accounts. Nothing runs without nginx
and wrk; some parts need nghttp2-client, valgrind or PostgreSQL, and say here when it is missing. `--trained` measures what
`cargo xtask release` makes, `--binary` another binary, of which `--label` says here what it is, and `--against` compares with
one in the same rounds (then nothing is written); `--rounds` and `--seconds` say how long, `--calls` and `--accounts` how many.

## Where the time goes

";

/// Writes these parts into the page; the others stay as they are there.
pub(crate) fn write(sections: &[(&Part, String)]) -> Result<()> {
    let path = shell::root().join(PAGE);
    let old = fs::read_to_string(&path).unwrap_or_default();
    fs::write(&path, page(&old, sections)).with_context(|| format!("cannot write {PAGE}"))?;
    println!("\nwritten: {PAGE}");
    Ok(())
}

fn page(old: &str, sections: &[(&Part, String)]) -> String {
    let profile = between(old, PROFILE.0, PROFILE.1).unwrap_or("\n");
    let mut page = format!("{HEAD}{}{profile}{}", PROFILE.0, PROFILE.1);
    for part in &PARTS {
        let new = sections.iter().find(|(of, _)| of.name == part.name);
        let begin = format!("<!-- part {} -->\n", part.name);
        let text = match (new, between(old, &begin, PART_END)) {
            (Some((_, text)), _) => format!("\n## {}\n\n{}\n\n", part.title, text.trim()),
            (None, Some(kept)) => kept.to_owned(),
            (None, None) => format!("\n## {}\n\nNot measured yet.\n\n", part.title),
        };
        page += &format!("\n{begin}{text}{PART_END}");
    }
    page
}

fn between<'a>(text: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(begin)?;
    Some(after.split_once(end)?.0)
}

/// Where, when, with what and for how long a part was measured.
pub(crate) fn circumstances(stage: &Stage, what: &str) -> String {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus
        .lines()
        .find_map(|line| Some(line.strip_prefix("model name")?.split_once(": ")?.1))
        .unwrap_or("unknown");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!(
        "Measured {} on {cores} cores of {model}, {}; nginx {}, wrk {}; stead {}, {what}; {}.",
        said("date", &["-u", "+%Y-%m-%d"]),
        said("uname", &["-sr"]),
        programs::version(&stage.nginx, "-v"),
        programs::version(&stage.wrk, "-v"),
        programs::version(&stage.binary, "--version"),
        length(stage.options),
    )
}

fn length(
    Options {
        rounds, seconds, ..
    }: Options,
) -> String {
    let plural = if rounds == 1 { "" } else { "s" };
    format!("{rounds} round{plural} of {seconds} s")
}

/// What is built and measured.
pub(crate) fn commit() -> String {
    let describe = ["describe", "--always", "--dirty", "--exclude=*"];
    said("git", &describe)
}

fn said(program: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(shell::root());
    let text = programs::output(&mut command).unwrap_or_default();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{super::FULL, *};

    #[test]
    fn the_page_says_how_long_a_run_is() {
        assert!(HEAD.contains(&length(FULL)));
        let short = Options { rounds: 1, ..FULL };
        assert!(length(short).starts_with("1 round of "));
    }

    #[test]
    fn what_is_not_measured_again_stays() {
        let [first, second, ..] = &PARTS;
        let begin = page("", &[(first, "figures".to_owned())]);
        assert!(begin.contains(&format!("## {}\n\nfigures\n", first.title)));
        assert!(begin.contains(&format!("## {}\n\nNot measured yet.\n", second.title)));

        let by_hand = begin.replace(PROFILE.0, &format!("{}\nby hand\n", PROFILE.0));
        let next = page(&by_hand, &[(second, "others".to_owned())]);
        assert!(next.contains("by hand") && next.contains("figures") && next.contains("others"));
        assert_eq!(page(&next, &[]), next);
    }
}
