//! Finds the Rust blocks of the book's pages, and makes a module of each.

use std::{env, error::Error, fmt::Write as _, fs, path::Path};

const FOLDERS: [&str; 4] = ["start", "build", "recipes", "run"];

fn main() -> Result<(), Box<dyn Error>> {
    let docs = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../docs");
    let out = env::var("OUT_DIR")?;
    let (mut modules, mut arms) = (String::new(), String::new());
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={}", docs.join(folder).display());
        let mut pages: Vec<_> = fs::read_dir(docs.join(folder))?.collect::<Result<_, _>>()?;
        pages.sort_by_key(fs::DirEntry::file_name);
        for page in pages {
            let name = page.file_name().into_string().map_err(|_| "a page's name isn't UTF-8")?;
            for (line, code) in blocks(&fs::read_to_string(page.path())?) {
                let module = format!("{folder}_{}_{line}", name.trim_end_matches(".md").replace('-', "_"));
                let file = Path::new(&out).join(format!("{module}.rs"));
                fs::write(&file, code)?;
                writeln!(
                    modules,
                    "mod {module} {{ include!({file:?}); pub(crate) fn run() -> ExitCode {{ Termination::report(main()) }} }}"
                )?;
                writeln!(arms, "\"{folder}/{name}:{line}\" => {module}::run(),")?;
            }
        }
    }
    let program = format!(
        "{modules}\nfn run(block: &str) -> ExitCode {{ match block {{ {arms} _ => missing(block) }} }}"
    );
    fs::write(Path::new(&out).join("blocks.rs"), program)?;
    Ok(())
}

/// The Rust blocks of a page without their indentation, each with the line of its fence.
fn blocks(page: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut indent = None;
    for (at, line) in page.lines().enumerate() {
        match indent {
            None if line.trim_start() == "```rust" => {
                indent = Some(line.len() - line.trim_start().len());
                found.push((at + 1, String::new()));
            }
            Some(_) if line.trim() == "```" => indent = None,
            Some(width) => {
                if let Some((_, code)) = found.last_mut() {
                    code.push_str(line.get(width..).unwrap_or_default());
                    code.push('\n');
                }
            }
            None => {}
        }
    }
    found
}
