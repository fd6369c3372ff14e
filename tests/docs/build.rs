//! Makes a module of each Rust block in the pages of the book whose blocks run.

use std::{env, fmt::Write as _, fs, io, path::Path};

/// The folders of these pages, as in run.py.
const FOLDERS: [&str; 3] = ["start", "build", "recipes"];
/// No lint of the project looks at a block, or at what calls it.
const ALLOW: &str = "#[expect(clippy::allow_attributes, reason = \"it need not keep to any\")]\n\
    #[allow(warnings, clippy::all, clippy::unwrap_used, clippy::print_stdout)]\n";

fn main() -> io::Result<()> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    let out = out.to_string_lossy();
    let (mut modules, mut arms) = (String::new(), String::new());
    for folder in FOLDERS {
        let path = docs.join(folder);
        println!("cargo::rerun-if-changed={}", path.display());
        let Ok(pages) = fs::read_dir(path) else {
            continue;
        };
        for page in pages {
            let page = page?.path();
            let text = fs::read_to_string(&page)?;
            let name = page.file_stem().unwrap_or_default().to_string_lossy();
            for (line, code) in blocks(&text) {
                let module = format!("{folder}_{}_{line}", name.replace('-', "_"));
                // A fault has the number of its line in the page.
                let file = format!("{out}/{module}.rs");
                fs::write(&file, "\n".repeat(line) + &code)?;
                let _ = writeln!(modules, "{ALLOW}#[path = {file:?}]\nmod {module};");
                let _ = writeln!(
                    arms,
                    "\"{folder}/{name}.md:{line}\" => \
                     Some(std::process::Termination::report({module}::main())),"
                );
            }
        }
    }
    let run = format!(
        "{ALLOW}fn run(block: &str) -> Option<ExitCode> {{ match block {{ {arms} _ => None }} }}"
    );
    fs::write(format!("{out}/blocks.rs"), modules + &run)
}

/// The Rust blocks of a page, each with the line of its fence. A block can be in a tab, and then is indented.
fn blocks(page: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut open = None;
    for (number, line) in (1..).zip(page.lines()) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        match open {
            None if text.starts_with("```") => {
                open = Some((indent, text == "```rust"));
                if text == "```rust" {
                    found.push((number, String::new()));
                }
            }
            Some(_) if text.starts_with("```") => open = None,
            Some((indent, true)) => {
                let code = line.get(indent..).unwrap_or_default();
                let code = match code.strip_prefix("async fn main") {
                    Some(rest) => format!("pub async fn main{rest}"),
                    None if code.starts_with("fn main") => format!("pub {code}"),
                    None => code.to_owned(),
                };
                if let Some((_, block)) = found.last_mut() {
                    block.push_str(&code);
                    block.push('\n');
                }
            }
            _ => {}
        }
    }
    found
}
