//! Follows the pages of `docs/contribute` that add code, literally, in a copy of the checkout.

use std::{fs, path::PathBuf};

use crate::{shell, tools};

/// A copy of the checkout in the build folder. It's a repository of its own.
struct Checkout(PathBuf);

impl Checkout {
    fn copy() -> Self {
        let copy = shell::root().join("target/guides");
        if copy.exists() {
            fs::remove_dir_all(&copy).unwrap();
        }
        for file in shell::output("git ls-files").unwrap().lines() {
            let (from, to) = (shell::root().join(file), copy.join(file));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            // git still lists a removed file until the removal is committed.
            if from.is_file() {
                fs::copy(from, to).unwrap();
            }
        }
        let checkout = Self(copy);
        // Build in another folder. In ours, cargo would mistake the copy's crates for this checkout's.
        let build = shell::root().join("target/guides-build");
        let config = fs::read_to_string(checkout.0.join(".cargo/config.toml")).unwrap();
        let config = format!(
            "{config}\n[build]\ntarget-dir = {:?}\n",
            build.display().to_string()
        );
        checkout.write(".cargo/config.toml", &config);
        checkout.run("git init --quiet");
        checkout.commit();
        checkout
    }

    fn commit(&self) {
        self.run("git add --all");
        self.run("git -c user.name=a -c user.email=a@example.com commit --quiet -m copy");
    }

    fn run(&self, line: &str) -> String {
        let output = shell::command(line)
            .current_dir(&self.0)
            .env_remove("CARGO_TARGET_DIR")
            .output()
            .unwrap();
        let [out, err] =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        assert!(output.status.success(), "{line}\n{out}\n{err}");
        out
    }

    fn changed(&self) -> Vec<String> {
        let status = self.run("git status --porcelain --untracked-files=all");
        let mut files: Vec<String> = status.lines().map(|line| line[3..].to_owned()).collect();
        files.sort();
        files
    }

    fn write(&self, file: &str, text: &str) {
        let file = self.0.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// Writes `text` before the first line that begins with `line`.
    fn insert(&self, file: &str, text: &str, line: &str) {
        let old = fs::read_to_string(self.0.join(file)).unwrap();
        let place = old
            .match_indices(line)
            .map(|(at, _)| at)
            .find(|at| *at == 0 || old.as_bytes()[at - 1] == b'\n');
        let (before, after) = old.split_at(place.unwrap_or_else(|| panic!("{file}: {line}")));
        self.write(file, &format!("{before}{text}{after}"));
    }
}

fn guide(name: &str) -> String {
    fs::read_to_string(shell::root().join("docs/contribute").join(name)).unwrap()
}

/// The blocks of a guide. Each has the text after its three backticks, and its content.
fn blocks(guide: &str) -> impl Iterator<Item = (&str, String)> {
    guide
        .split("\n```")
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.split_once('\n'))
        .map(|(title, text)| (title, format!("{text}\n")))
}

#[test]
#[ignore = "builds a copy of the workspace: cargo xtask test --all"]
fn a_tool_and_a_product_made_by_the_guides_pass_their_suites() {
    let checkout = Checkout::copy();
    add_a_tool(&checkout, &guide("add-a-tool.md"));
    checkout.commit();
    add_a_product(&checkout, &guide("add-a-product.md"));
}

fn add_a_tool(checkout: &Checkout, guide: &str) {
    const FILES: [&str; 3] = [
        "crates/products/mail/src/tools/get_label.rs",
        "crates/products/mail/src/tools/mod.rs",
        "crates/products/mail/tests/fixtures/get_label.json",
    ];
    const TEST: &str = "cargo test --quiet --offline --locked -p stead-mail --test suite";

    tools::make(&checkout.0, "mail", "get_label").unwrap();
    for case in tools::CASES {
        tools::bless_in(&checkout.0, &format!("mail_get_label/{case}")).unwrap();
    }
    // The new tool's placeholder path isn't one of the product's.
    checkout.run(&format!("{TEST} -- --skip requests_are_classified"));
    assert_eq!(checkout.changed(), FILES);

    let text_of = |language| {
        blocks(guide)
            .find(|(title, _)| *title == language)
            .unwrap()
            .1
    };
    checkout.write(FILES[0], &text_of("rust"));
    checkout.write(FILES[2], &text_of("json"));
    for line in guide.lines().filter(|line| line.contains("--bless")) {
        tools::bless_in(&checkout.0, line.split('"').nth(1).unwrap()).unwrap();
    }
    checkout.run(TEST);
    assert_eq!(checkout.changed(), FILES);
}

fn add_a_product(checkout: &Checkout, guide: &str) {
    let (new, edits) = follow(checkout, guide);
    assert!(new + edits > 10, "the guide's blocks are not found");
}

/// Writes a guide's blocks and runs its commands. Returns how many files are new, and how many edits there are.
///
/// The title names the file. If the file exists, it also says where the block belongs:
/// `toml title="Cargo.toml before stead-drive"`.
fn follow(checkout: &Checkout, guide: &str) -> (usize, usize) {
    let (mut new, mut edits) = (0, 0);
    for (title, text) in blocks(guide) {
        let Some((_, quoted)) = title.split_once(" title=") else {
            continue;
        };
        let file = &quoted[1..quoted.len() - 1];
        match file.split_once(" before ") {
            Some((file, line)) => {
                checkout.insert(file, &text, line);
                edits += 1;
            }
            None => {
                checkout.write(file, &text);
                new += 1;
            }
        }
    }
    let (_, commands) = blocks(guide).find(|(title, _)| *title == "sh").unwrap();
    for line in commands.lines().filter(|line| line.starts_with("cargo ")) {
        checkout.run(&line.replacen("cargo ", "cargo --offline ", 1));
    }
    (new, edits)
}

/// From its declaration alone, a resource has routes, a description, a client, commands, a page of the reference, audit
/// entries and dashboard pages.
#[test]
#[ignore = "builds a copy of the workspace: cargo xtask test --all"]
fn a_resource_made_by_the_guide_is_complete() {
    const SCRIPT: &str = r#"
set -e
stead=../guides-build/debug/stead
export STEAD_DATABASE=notes.db STEAD_PUBLIC_URL=http://127.0.0.1:8484 STEAD_KEY="$($stead keys generate)"
rm -f notes.db*
$stead credentials create --name notes --scope notes:manage --json > app.json
id() { python3 -c 'import json, sys; print(json.load(sys.stdin)["note_id"])'; }
note=$($stead notes create --text 'In May.' --json | id)
$stead notes change "$note" --text 'In June.' > changed
$stead notes show "$note" | grep 'In June.'
$stead notes list --json | grep "$note"
! $stead notes create --text '' 2> refused
grep -- '--text: expected 1 to 1000 characters' refused
$stead audit list --action 'note.*' --json > audit
grep note.created audit
grep note.changed audit
$stead openapi | grep '"/v1/notes/{note_id}"'
$stead reference rest | grep '### PATCH /v1/notes/{note_id}'
$stead reference cli | grep '### stead notes change'
$stead notes delete "$note"
! $stead notes show "$note" 2> missing
grep 'no note has this id' missing
python3 - "$stead" <<'PAGES'
import json, subprocess, sys, urllib.request
free = "127.0.0.1:0"
addresses = ["--listen", free, "--sandbox-listen", free, "--proxy-listen", free]
dev = subprocess.Popen([sys.argv[1], "dev", "--json", *addresses], stdout=subprocess.PIPE)
try:
    notes = json.loads(dev.stdout.readline())["url"] + "/dashboard/settings/notes"
    page = lambda path: urllib.request.urlopen(notes + path).read().decode()
    assert "A note for the people who run an application." in page(""), page("")
    assert 'name="text"' in page("/new"), page("/new")
finally:
    dev.kill()
PAGES
"#;

    let checkout = Checkout::copy();
    let (new, edits) = follow(&checkout, &guide("add-a-resource.md"));
    assert_eq!((new, edits), (5, 12));
    checkout.write("target/try.sh", SCRIPT);
    checkout.run("sh target/try.sh");
}
