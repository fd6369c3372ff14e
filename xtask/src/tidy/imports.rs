//! Finds the imports within a crate from the tokens of its sources: `use` trees, and paths that begin with `crate`,
//! `super` or `self`, also in macros.
//!
//! Code for tests is skipped, because it may import anything.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

use super::sources::File;

/// The path of a module from the root of its crate. Empty for the root.
pub(crate) type ModulePath = Vec<String>;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Import {
    /// `file:line`.
    pub(crate) place: String,
    pub(crate) from: ModulePath,
    /// The imported module, or the module that contains the imported item.
    pub(crate) to: ModulePath,
}

/// The imports and field accesses in the sources of a crate.
pub(crate) struct Sources {
    pub(crate) imports: Vec<Import>,
    /// Each `.field.` of an expression, with its place and module.
    pub(crate) fields: Vec<(String, ModulePath, String)>,
}

/// Reads the imports and fields of a crate's library or binary.
///
/// # Errors
/// If a source isn't Rust.
pub(crate) fn read(folder: &str, files: &[File]) -> Result<Sources> {
    let mut reader = Reader::default();
    for file in files {
        let Some(module) = module_of(folder, &file.path) else {
            continue;
        };
        let tokens: TokenStream = file
            .text
            .parse()
            .map_err(|error| anyhow!("{} is not Rust: {error}", file.path))?;
        reader.modules.insert(module.clone());
        reader.file = &file.path;
        reader.items(&module, tokens);
    }
    Ok(reader.sources())
}

/// The module of a file. `None` if the file isn't in the folder's `src`.
fn module_of(folder: &str, path: &str) -> Option<ModulePath> {
    let inside = path.strip_prefix(folder)?.strip_prefix("/src/")?;
    let mut module: ModulePath = inside
        .strip_suffix(".rs")?
        .split('/')
        .map(str::to_owned)
        .collect();
    let root = module.len() == 1 && (module[0] == "lib" || module[0] == "main");
    if root || module.last().is_some_and(|name| name == "mod") {
        module.pop();
    }
    Some(module)
}

/// Everything that was read so far.
#[derive(Default)]
struct Reader<'a> {
    file: &'a str,
    modules: BTreeSet<ModulePath>,
    /// Modules that are compiled only for tests.
    tests: BTreeSet<ModulePath>,
    /// For each path: its place, its module, and the path from the root of the crate.
    named: Vec<(String, ModulePath, ModulePath)>,
    fields: Vec<(String, ModulePath, String)>,
    /// The names that the root gives to other modules' items, such as `crate::Error`.
    root: BTreeMap<String, ModulePath>,
}

impl Reader<'_> {
    fn items(&mut self, module: &ModulePath, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut test = false;
        let mut position = 0;
        while let Some(token) = tokens.get(position) {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    if let Some(TokenTree::Group(group)) = tokens.get(position + 1) {
                        test = test || is_for_tests(group);
                    }
                }
                TokenTree::Ident(word) if word == "mod" => {
                    position = self.module(module, &tokens, position, test);
                    test = false;
                    continue;
                }
                _ if test => {
                    // The item after a test attribute ends with a semicolon or braces.
                    test = !ends_item(token);
                }
                TokenTree::Ident(word) if word == "use" => {
                    position += 1;
                    self.tree(module, &[], &tokens, &mut position);
                    continue;
                }
                TokenTree::Ident(word) if is_start(word) && is_path(&tokens, position + 1) => {
                    self.tree(module, &[], &tokens, &mut position);
                    continue;
                }
                TokenTree::Group(group) => self.items(module, group.stream()),
                TokenTree::Punct(punct) if punct.as_char() == '.' => {
                    self.field(module, &tokens[position + 1..]);
                }
                _ => {}
            }
            position += 1;
        }
    }

    /// Records a field if its own field or method is used.
    fn field(&mut self, module: &ModulePath, tokens: &[TokenTree]) {
        if let [TokenTree::Ident(name), TokenTree::Punct(next), ..] = tokens
            && next.as_char() == '.'
        {
            let place = format!("{}:{}", self.file, name.span().start().line);
            self.fields.push((place, module.clone(), name.to_string()));
        }
    }

    /// Reads `mod name;` or `mod name { … }`. Returns the position after it.
    fn module(
        &mut self,
        module: &ModulePath,
        tokens: &[TokenTree],
        position: usize,
        test: bool,
    ) -> usize {
        let (Some(TokenTree::Ident(name)), Some(next)) =
            (tokens.get(position + 1), tokens.get(position + 2))
        else {
            return position + 1;
        };
        let inner = [module.as_slice(), &[name.to_string()]].concat();
        if test {
            self.tests.insert(inner);
        } else if let TokenTree::Group(body) = next {
            self.modules.insert(inner.clone());
            self.items(&inner, body.stream());
        }
        position + 3
    }

    /// Reads a path, or the rest of a `use` tree that begins with `before`.
    fn tree(
        &mut self,
        module: &ModulePath,
        before: &[String],
        tokens: &[TokenTree],
        position: &mut usize,
    ) {
        let mut path = before.to_vec();
        let mut place = String::new();
        loop {
            match tokens.get(*position) {
                Some(TokenTree::Ident(word)) if word == "as" => {
                    *position += 1;
                    if let Some(TokenTree::Ident(name)) = tokens.get(*position) {
                        self.name_in_root(module, &name.to_string(), &path);
                    }
                }
                Some(TokenTree::Ident(word)) => {
                    place = format!("{}:{}", self.file, word.span().start().line);
                    path.push(word.to_string());
                }
                Some(TokenTree::Punct(punct)) if matches!(punct.as_char(), ':' | '*') => {}
                Some(TokenTree::Group(group))
                    if group.delimiter() == Delimiter::Brace
                        && follows_colons(tokens, *position) =>
                {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    let mut at = 0;
                    while at < inner.len() {
                        self.tree(module, &path, &inner, &mut at);
                        at += 1;
                    }
                    *position += 1;
                    return;
                }
                _ => break,
            }
            *position += 1;
            // A path in an expression ends if no colons follow.
            let goes_on = matches!(tokens.get(*position), Some(TokenTree::Punct(punct)) if punct.as_char() == ':')
                || follows_colons(tokens, *position)
                || matches!(tokens.get(*position), Some(TokenTree::Ident(word)) if word == "as");
            if !goes_on {
                break;
            }
        }
        if let Some(name) = path.last().cloned() {
            self.name_in_root(module, &name, &path);
        }
        if let Some(target) = Self::absolute(module, &path) {
            self.named.push((place, module.clone(), target));
        }
    }

    fn name_in_root(&mut self, module: &ModulePath, name: &str, path: &[String]) {
        let path = match path {
            [start, path @ ..] if start == "crate" || start == "self" => path,
            path => path,
        };
        if module.is_empty() && path.len() > 1 {
            self.root.insert(name.to_owned(), path.to_vec());
        }
    }

    /// The path from the root of the crate. `None` if it begins with another word: that's a child of the module, or
    /// another crate.
    fn absolute(module: &ModulePath, path: &[String]) -> Option<ModulePath> {
        let mut at = module.clone();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => {
                at.pop();
            }
            _ => return None,
        }
        rest = &rest[1..];
        while let Some("super") = rest.first().map(String::as_str) {
            at.pop();
            rest = &rest[1..];
        }
        at.extend(rest.iter().cloned());
        Some(at)
    }

    fn sources(self) -> Sources {
        let tests = |module: &ModulePath| {
            (1..=module.len()).any(|length| self.tests.contains(&module[..length]))
        };
        let mut imports: Vec<Import> = self
            .named
            .iter()
            .filter(|(_, from, _)| !tests(from))
            .map(|(place, from, to)| Import {
                place: place.clone(),
                from: from.clone(),
                to: self.holder(to),
            })
            .filter(|import| import.from != import.to)
            .collect();
        imports.sort_unstable();
        imports.dedup();
        let fields = self.fields.iter();
        let fields = fields.filter(|(_, from, _)| !tests(from)).cloned();
        Sources {
            imports,
            fields: fields.collect(),
        }
    }

    /// The deepest module on a path.
    fn holder(&self, path: &[String]) -> ModulePath {
        let renamed = path
            .first()
            .filter(|name| !self.modules.contains(std::slice::from_ref(*name)))
            .and_then(|name| self.root.get(name));
        let path = renamed.map_or(path, Vec::as_slice);
        (0..=path.len())
            .rev()
            .map(|length| &path[..length])
            .find(|start| self.modules.contains(*start))
            .unwrap_or_default()
            .to_vec()
    }
}

fn is_start(word: &Ident) -> bool {
    word == "crate" || word == "super" || word == "self"
}

/// Whether `::` is at this position.
fn is_path(tokens: &[TokenTree], position: usize) -> bool {
    [position, position + 1].into_iter().all(
        |position| matches!(tokens.get(position), Some(TokenTree::Punct(punct)) if punct.as_char() == ':'),
    )
}

fn follows_colons(tokens: &[TokenTree], position: usize) -> bool {
    position >= 2 && is_path(tokens, position - 2)
}

/// `cfg(test)`, `cfg(any(test, …))`, `cfg(all(test, …))`.
pub(crate) fn is_for_tests(attribute: &Group) -> bool {
    let words: Vec<String> = attribute
        .to_string()
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    words.first().is_some_and(|word| word == "cfg")
        && words.iter().any(|word| word == "test")
        && !words.iter().any(|word| word == "not")
}

fn ends_item(token: &TokenTree) -> bool {
    match token {
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_read_from_trees_paths_and_macros() {
        let found = imports([
            (
                "src/lib.rs",
                "pub mod a; mod b; pub use b::{deep::Thing as Other, Plain}; fn f() { a::x() }",
            ),
            (
                "src/a/mod.rs",
                "use std::fs;\nuse crate::{b::{self, deep::Thing}, Other, Plain, Nothing};",
            ),
            (
                "src/a/x.rs",
                "use super::Y; fn f() { super::super::b::g::<u8>(); self.h(); }",
            ),
            (
                "src/b/mod.rs",
                "macro_rules! m { () => { $crate::a::x::Z }; }",
            ),
            (
                "src/b/deep.rs",
                "#[path_of(crate::a)] struct S; const C: u8 = crate::a::D as u8;",
            ),
            ("tests/a.rs", "use crate::b;"),
        ]);
        assert_eq!(
            found,
            [
                "src/a/mod.rs:2 a > ",
                "src/a/mod.rs:2 a > b",
                "src/a/mod.rs:2 a > b::deep",
                "src/a/x.rs:1 a::x > a",
                "src/a/x.rs:1 a::x > b",
                "src/b/deep.rs:1 b::deep > a",
                "src/b/mod.rs:1 b > a::x",
            ]
        );
    }

    #[test]
    fn tests_may_import_anything() {
        let found = imports([
            (
                "src/lib.rs",
                "mod a; mod b; #[cfg(all(test, feature = \"x\"))] mod help;",
            ),
            ("src/help.rs", "use crate::b::B;"),
            (
                "src/a.rs",
                "#[cfg(test)] use crate::b::{C, D};
                 #[cfg(any(test, feature = \"testing\"))] pub(crate) fn f() { crate::b::g() }
                 #[cfg(test)] mod tests { use crate::b::B; }
                 #[cfg(not(test))] use crate::b::E;",
            ),
            ("src/b.rs", "#[cfg(test)] mod tests;"),
            ("src/b/tests.rs", "use crate::a;"),
        ]);
        assert_eq!(found, ["src/a.rs:4 a > b"]);
    }

    fn imports<const N: usize>(files: [(&str, &str); N]) -> Vec<String> {
        let files = files.map(|(path, text)| File::of(&format!("crates/c/{path}"), text));
        let sources = read("crates/c", &files).unwrap();
        let imports = sources.imports.into_iter();
        imports
            .map(|import| {
                let place = import.place.replace("crates/c/", "");
                let [from, to] = [import.from, import.to].map(|module| module.join("::"));
                format!("{place} {from} > {to}")
            })
            .collect()
    }
}
