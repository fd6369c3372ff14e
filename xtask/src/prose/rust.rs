//! Finds the texts in Rust sources: the comments of public items and of commands, and strings that are sentences.

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, Group, Literal, TokenStream, TokenTree};

use super::{Text, markup};
use crate::tidy::is_for_tests;

/// The traits that derive clap's help from comments.
const COMMANDS: [&str; 4] = ["Args", "Parser", "Subcommand", "ValueEnum"];
/// Attributes whose strings people read.
const READ: [&str; 4] = ["arg", "command", "error", "value"];

/// The texts of a file. The comment of a crate's root is public.
pub(super) fn read(source: &str, is_root: bool) -> Result<Vec<Text>> {
    let tokens: TokenStream = source
        .parse()
        .map_err(|error| anyhow!("this is not Rust: {error}"))?;
    let mut reader = Reader {
        is_root,
        texts: Vec::new(),
    };
    reader.items(tokens, false);
    Ok(reader.texts)
}

struct Reader {
    is_root: bool,
    texts: Vec<Text>,
}

/// The parts of an item, field or variant that were read so far.
#[derive(Default)]
struct Item {
    /// The lines of its comment, until we know whether it's public.
    comment: Vec<(usize, String)>,
    is_begun: bool,
    is_public: bool,
    is_command: bool,
    is_test: bool,
    /// Whether people also read the comments in it that have no `pub`.
    opens: bool,
}

impl Reader {
    /// Reads the tokens of a file or a group. With `open`, all of its comments are public.
    fn items(&mut self, tokens: TokenStream, open: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut item = Item::default();
        for (at, token) in tokens.iter().enumerate() {
            let is = |back: usize, mark: char| {
                let found = at.checked_sub(back).map(|at| &tokens[at]);
                matches!(found, Some(TokenTree::Punct(found)) if found.as_char() == mark)
            };
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '#' => {}
                TokenTree::Punct(mark) if mark.as_char() == '!' && is(1, '#') => {}
                TokenTree::Group(group) if is(1, '#') => self.attribute(group, &mut item),
                TokenTree::Group(group) if is(1, '!') && is(2, '#') => {
                    item.comment.extend(comment(group).filter(|_| self.is_root));
                    item.is_public = true;
                    self.comment(&mut item);
                    item.is_public = false;
                }
                _ => {
                    let private = matches!(tokens.get(at + 1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
                    item.begin(token, private, open);
                    self.comment(&mut item);
                    // A macro may make public items of its input.
                    let opens = item.opens || is(1, '!') || is(2, '!');
                    match token {
                        TokenTree::Group(group) if !item.is_test => {
                            self.items(group.stream(), opens);
                        }
                        TokenTree::Literal(literal) if !item.is_test => self.string(literal),
                        _ => {}
                    }
                    if ends(token) {
                        item = Item::default();
                    }
                }
            }
        }
    }

    fn attribute(&mut self, attribute: &Group, item: &mut Item) {
        item.comment.extend(comment(attribute));
        item.is_test |= is_for_tests(attribute);
        let words = attribute.to_string();
        let mut words = words.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let name = words.by_ref().find(|word| !word.is_empty());
        match name {
            Some("derive") => item.is_command |= words.any(|word| COMMANDS.contains(&word)),
            Some(name) if READ.contains(&name) => self.items(attribute.stream(), false),
            _ => {}
        }
    }

    /// Adds the comment of an item that has begun, if people read it.
    fn comment(&mut self, item: &mut Item) {
        let lines = std::mem::take(&mut item.comment);
        if let Some((first, _)) = lines.first().filter(|_| item.is_public) {
            let text: Vec<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
            self.texts.push(Text::new(*first, text.join("\n")));
        }
    }

    fn string(&mut self, literal: &Literal) {
        let text = literal.to_string();
        if !text.starts_with(['"', 'r']) || !text.contains('"') {
            return;
        }
        let mut line = literal.span().start().line;
        for part in unquoted(&text).split("\\n") {
            let lead = part.len() - part.trim_start().len();
            let first = line + part[..lead].matches('\n').count();
            let texts = markup::sentence(part.trim()).map(|text| Text::new(first, text));
            self.texts.extend(texts);
            line += part.matches('\n').count();
        }
    }
}

impl Item {
    /// Reads a token outside of attributes. With `private`, the visibility is limited, as in `pub(crate)`.
    fn begin(&mut self, token: &TokenTree, private: bool, open: bool) {
        let TokenTree::Ident(word) = token else {
            self.is_begun = true;
            return;
        };
        if !self.is_begun {
            self.is_begun = true;
            self.is_public = open || self.is_command || (word == "pub" && !private);
            self.opens = open || self.is_command;
        }
        self.opens |= self.is_public && (word == "enum" || word == "trait");
    }
}

fn ends(token: &TokenTree) -> bool {
    match token {
        TokenTree::Punct(mark) => [';', ','].contains(&mark.as_char()),
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    }
}

/// The text and line of a doc attribute, which is a comment. `None` for other attributes.
fn comment(attribute: &Group) -> Option<(usize, String)> {
    let mut tokens = attribute.stream().into_iter();
    let is_comment = matches!(tokens.next(), Some(TokenTree::Ident(name)) if name == "doc");
    let text = tokens.nth(1).filter(|_| is_comment)?.to_string();
    let line = attribute.span().start().line;
    let text = unquoted(text.strip_prefix('"').map(|_| text.as_str())?).replace("\\n", "\n");
    Some((line, text.strip_prefix(' ').unwrap_or(&text).to_owned()))
}

/// A string without its quotes and escapes. `\n` stays, and a continued line stays a line.
fn unquoted(literal: &str) -> String {
    let text = literal.trim_start_matches(['r', '#']).trim_end_matches('#');
    let text = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    let text = text.unwrap_or_default();
    text.replace("\\\n", "\n")
        .replace("\\\"", "\"")
        .replace("\\'", "'")
        .replace("\\\\", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_texts(source: &str, expected: &[(usize, &str)]) {
        let expected: Vec<Text> = expected
            .iter()
            .map(|(line, text)| Text::new(*line, *text))
            .collect();
        assert_eq!(read(source, true).unwrap(), expected);
    }

    #[test]
    fn comments_of_public_items_are_read() {
        let source = "//! A crate.\n\n/// Two\n/// \"lines\".\n#[derive(Debug)]\npub struct A {\n    /// Shown.\n    pub a: u8,\n    /// Not.\n    b: u8,\n}\n\
            /// Not.\npub(crate) fn b() {}\n/// An enum.\npub enum B {\n    /// A variant.\n    C { /// A field.\n d: u8 },\n}\n\
            kinds! {\n    /// Of a macro.\n    A = 1;\n}\n#[cfg(test)]\nmod tests {\n    /// Not.\n    pub fn x() { y(\"not a text of anybody\") }\n}\n";
        assert_texts(
            source,
            &[
                (1, "A crate."),
                (3, "Two\n\"lines\"."),
                (7, "Shown."),
                (14, "An enum."),
                (16, "A variant."),
                (17, "A field."),
                (21, "Of a macro."),
            ],
        );
        assert!(read("//! A file.\nuse a;\n", false).unwrap().is_empty());
    }

    #[test]
    fn help_and_messages_are_read() {
        let source = "/// Prints a link.\n#[derive(Debug, Args)]\n#[command(about = \"It has an example here\")]\nstruct Connect {\n    /// The user.\n    #[arg(long)]\n    user: String,\n}\n\
            fn a() {\n    bail!(\"the file {path} \\\n        is not there\\nand that is \\\"all\\\" there is\");\n    b(\"name\", b\"bytes are not a text\")\n}\n";
        assert_texts(
            source,
            &[
                (3, "It has an example here"),
                (1, "Prints a link."),
                (5, "The user."),
                (10, "the file X \n        is not there"),
                (11, "and that is \"all\" there is"),
            ],
        );
    }
}
