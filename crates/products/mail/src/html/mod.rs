//! Converts HTML to text. Visible text and hidden text are separate.
//!
//! It works on tokens and only keeps the open elements. So its time is proportional to the length, however deeply a mail is
//! nested.

mod elements;
mod flow;
mod numbers;
mod style;
#[cfg(test)]
mod tests;

use html5gum::{SpanBound, StartTag, State, Token, Tokenizer, emitters::default::DefaultEmitter};

use crate::invisible::{is_filler, without_filler};
use elements::{Elements, is_void, lines_around};
use flow::Flow;
use numbers::Counter;
use style::{Sheet, Style};

/// Mark in the text for words that the HTML hides from people.
pub(crate) const HIDDEN: &str = "[hidden text left out]";

/// The text of a mail's HTML.
#[derive(Debug, Default)]
pub(crate) struct HtmlText {
    /// The visible text, with [`HIDDEN`] in each position of hidden text.
    pub(crate) text: String,
    /// The hidden text.
    pub(crate) hidden: String,
}

/// Converts an HTML document: blocks on separate lines, lists with their marks, quotations with `> `, links as `text
/// (address)`, and images as their alternative text.
pub(crate) fn to_text(html: &str) -> HtmlText {
    let mut tokenizer = Tokenizer::new_with_emitter(html, DefaultEmitter::<()>::default());
    let mut writer = Writer::new(html);
    while let Some(Ok(token)) = tokenizer.next() {
        match token {
            Token::StartTag(tag) => {
                if let Some(state) = writer.start(&tag) {
                    tokenizer.set_state(state);
                }
            }
            Token::EndTag(tag) => writer.end(&tag.name),
            Token::String(text) => writer.string(&String::from_utf8_lossy(&text)),
            _ => {}
        }
    }
    writer.finish()
}

/// The visible text of an HTML document, without marks of hidden text.
pub(crate) fn to_visible_text(html: &str) -> String {
    to_text(html).text.replace(HIDDEN, "")
}

/// An open link.
struct Link {
    address: String,
    /// Start of its text, in the visible or the hidden text.
    start: usize,
    is_hidden: bool,
}

/// An open element that contains only text, not tags.
struct Raw {
    name: Vec<u8>,
    text: String,
    is_self_closing: bool,
    is_for_screens: bool,
}

struct Writer<'a> {
    html: &'a str,
    shown: Flow,
    hidden: Flow,
    /// Whether the current stretch of hidden text has its mark already.
    is_marked: bool,
    elements: Elements,
    sheet: Sheet,
    raw: Option<Raw>,
    /// Number of remaining end tags for each element that contains only text.
    raw_ends: Vec<(Vec<u8>, usize)>,
    /// Whether this is within `<pre>`, where white space counts.
    is_preformatted: bool,
    /// Counter of each open list; `None` for a list without numbers.
    lists: Vec<Option<Counter>>,
    link: Option<Link>,
}

impl<'a> Writer<'a> {
    fn new(html: &'a str) -> Self {
        Self {
            html,
            shown: Flow::default(),
            hidden: Flow::default(),
            is_marked: false,
            elements: Elements::default(),
            sheet: Sheet::default(),
            raw: None,
            raw_ends: Vec::new(),
            is_preformatted: false,
            lists: Vec::new(),
            link: None,
        }
    }

    /// Starts an element. Returns the tokenizer's state if the element contains only text.
    fn start<S>(&mut self, tag: &StartTag<S>) -> Option<State>
    where
        S: SpanBound,
    {
        let name = &tag.name[..];
        let attribute = |name: &[u8]| {
            let value = tag.attributes.get(name)?;
            Some(String::from_utf8_lossy(value).trim().to_owned())
        };
        if let Some(state) = raw_state(name) {
            let media = attribute(b"media").unwrap_or_default();
            let raw = Raw {
                name: name.to_owned(),
                text: String::new(),
                is_self_closing: tag.self_closing,
                is_for_screens: matches!(&*media.to_ascii_lowercase(), "" | "all" | "screen"),
            };
            return self.begin_raw(raw).then_some(state);
        }
        self.elements.start(name);
        let mut look = self.elements.look().with(&self.style(name, &attribute));
        if matches!(name, b"template" | b"noscript") {
            look = look.gone();
        }
        // The space around a block belongs to the surrounding element.
        self.block(lines_around(name));
        self.elements.push(name, look);
        match name {
            b"br" => self.flow().line_break(),
            b"hr" => self.block(2),
            b"img" => self.image(attribute(b"alt")),
            b"area" => {
                self.open_link(attribute(b"href"));
                self.image(attribute(b"alt"));
                self.finish_link();
            }
            b"a" => self.open_link(attribute(b"href")),
            b"ul" => self.list(None),
            b"ol" => self.list(Counter::of(
                attribute(b"start").as_deref(),
                attribute(b"type").as_deref(),
                attribute(b"reversed").is_some(),
            )),
            b"li" => self.item(attribute(b"value").as_deref()),
            b"blockquote" => {
                self.block(2);
                self.shown.quotes += 1;
            }
            b"pre" => {
                self.block(2);
                self.is_preformatted = true;
            }
            b"td" | b"th" => self.flow().space = true,
            _ => {}
        }
        if is_void(name) {
            self.elements.pop();
        }
        None
    }

    fn end(&mut self, name: &[u8]) {
        if self.raw.as_ref().is_some_and(|raw| raw.name == name) {
            return self.end_raw();
        }
        if name == b"a" {
            self.finish_link();
        }
        self.elements.end(name);
        match name {
            b"ul" | b"ol" => {
                self.lists.pop();
                self.block(if self.lists.is_empty() { 2 } else { 1 });
            }
            b"blockquote" => {
                self.block(2);
                self.shown.quotes = self.shown.quotes.saturating_sub(1);
            }
            b"pre" => {
                self.block(2);
                self.is_preformatted = false;
            }
            name => self.block(lines_around(name)),
        }
    }

    fn string(&mut self, text: &str) {
        match &mut self.raw {
            Some(raw) => raw.text.push_str(text),
            None => self.text(text),
        }
    }

    fn finish(mut self) -> HtmlText {
        self.finish_link();
        if let Some(raw) = self.raw.take() {
            self.hide(&raw.text);
        }
        let mut hidden = self.hidden.text;
        let before = hidden.len();
        let mut text = without_filler(&self.shown.text, &mut hidden);
        if hidden.len() > before {
            text = format!("{text} {HIDDEN}");
        }
        HtmlText {
            text: text.trim().to_owned(),
            hidden: without_filler(&hidden, &mut String::new())
                .trim()
                .to_owned(),
        }
    }

    /// The style of an element, from its attributes and the style sheets.
    fn style(&self, name: &[u8], attribute: &impl Fn(&[u8]) -> Option<String>) -> Style {
        let (id, classes) = (attribute(b"id"), attribute(b"class").unwrap_or_default());
        let name = String::from_utf8_lossy(name);
        let mut style = self.sheet.of(&name, id.as_deref(), &classes);
        let color = attribute(if name == "body" { b"text" } else { b"color" });
        if let Some(color) = color {
            style.paint(&color.to_ascii_lowercase());
        }
        if let Some(color) = attribute(b"bgcolor") {
            style.back(&color.to_ascii_lowercase());
        }
        if attribute(b"background").is_some() {
            style.back("url()");
        }
        if let Some(declarations) = attribute(b"style") {
            style.and(&Style::read(&declarations));
        }
        if attribute(b"hidden").is_some() {
            style.and(&Style::read("display:none"));
        }
        style
    }

    /// Starts an element that contains only text, if the document closes it. Otherwise it would swallow the rest of the
    /// document, as after XHTML's `<title/>`.
    fn begin_raw(&mut self, raw: Raw) -> bool {
        let ends = self.ends_of(&raw.name);
        if *ends == 0 {
            return false;
        }
        *ends -= 1;
        self.raw = Some(raw);
        true
    }

    fn ends_of(&mut self, name: &[u8]) -> &mut usize {
        let index = self.raw_ends.iter().position(|(one, _)| one == name);
        let index = index.unwrap_or_else(|| {
            let end = [b"</", name].concat();
            let places = self.html.as_bytes().windows(end.len());
            let count = places
                .filter(|place| place.eq_ignore_ascii_case(&end))
                .count();
            self.raw_ends.push((name.to_owned(), count));
            self.raw_ends.len() - 1
        });
        &mut self.raw_ends[index].1
    }

    fn end_raw(&mut self) {
        let Some(raw) = self.raw.take() else { return };
        match &raw.name[..] {
            b"textarea" | b"xmp" => self.text(&raw.text),
            // XHTML has self-closing tags and HTML doesn't, so only some people see the following text.
            _ if raw.is_self_closing => self.hide(&raw.text),
            b"style" if raw.is_for_screens => {
                let was_painted = self.sheet.paints;
                self.sheet.add(&raw.text);
                if self.sheet.paints && !was_painted {
                    self.elements.paper_is_unknown();
                }
            }
            b"iframe" | b"noembed" | b"noframes" => self.hide(&raw.text),
            _ => {}
        }
    }

    /// The visible or the hidden text, depending on the current element.
    fn flow(&mut self) -> &mut Flow {
        if self.elements.look().hides() {
            &mut self.hidden
        } else {
            &mut self.shown
        }
    }

    fn block(&mut self, lines: usize) {
        self.flow().block(lines);
    }

    fn text(&mut self, text: &str) {
        if self.elements.look().hides() {
            return self.hide(text);
        }
        self.is_marked &= is_blank(text);
        self.shown.text(text, self.is_preformatted);
    }

    fn hide(&mut self, text: &str) {
        if !self.is_marked && !is_blank(text) {
            self.shown.space = true;
            self.shown.text(HIDDEN, false);
            self.shown.space = true;
            self.hidden.block(1);
            self.is_marked = true;
        }
        self.hidden.text(text, false);
    }

    fn image(&mut self, alternative: Option<String>) {
        if let Some(alternative) = alternative.filter(|text| !is_blank(text)) {
            self.text(&format!("[{alternative}]"));
        }
    }

    fn list(&mut self, counter: Option<Counter>) {
        self.lists.push(counter);
        self.block(1);
    }

    fn item(&mut self, value: Option<&str>) {
        self.block(1);
        let mark = match self.lists.last_mut() {
            Some(Some(counter)) => counter.mark(value),
            _ => String::from("*"),
        };
        if !self.elements.look().hides() {
            self.shown.text(&mark, false);
        }
        self.flow().space = true;
    }

    fn open_link(&mut self, address: Option<String>) {
        if self.link.is_some() {
            self.finish_link();
            self.flow().space = true;
        }
        let is_hidden = self.elements.look().hides();
        let start = self.flow().text.len();
        self.link = address.map(|address| Link {
            address,
            start,
            is_hidden,
        });
    }

    /// Adds the address of a link, unless the text is the same or the link has no target.
    fn finish_link(&mut self) {
        let Some(link) = self.link.take() else {
            return;
        };
        let address: String = link
            .address
            .chars()
            .filter(|one| !one.is_control())
            .collect();
        let lower = address.to_ascii_lowercase();
        let leads_nowhere = ["#", "javascript:", "data:", "cid:", "about:"];
        if address.is_empty() || leads_nowhere.iter().any(|one| lower.starts_with(one)) {
            return;
        }
        let flow = if link.is_hidden {
            &mut self.hidden
        } else {
            &mut self.shown
        };
        let shown = flow.text.get(link.start..).unwrap_or_default();
        let shown = shown.trim().trim_end_matches('/').to_ascii_lowercase();
        let bare = ["https://", "http://", "mailto:", "tel:"]
            .iter()
            .find_map(|scheme| lower.strip_prefix(scheme))
            .unwrap_or(&lower)
            .trim_end_matches('/');
        if shown.ends_with(bare) {
            return;
        }
        flow.space = true;
        if is_blank(&shown) {
            flow.text(&address, false);
            flow.space = true;
        } else {
            flow.text(&format!("({address})"), false);
        }
    }
}

/// The tokenizer's state within an element that contains only text.
fn raw_state(name: &[u8]) -> Option<State> {
    Some(match name {
        b"title" | b"textarea" => State::RcData,
        b"script" => State::ScriptData,
        b"style" | b"xmp" | b"iframe" | b"noembed" | b"noframes" => State::RawText,
        _ => return None,
    })
}

/// Whether the text has no visible character.
fn is_blank(text: &str) -> bool {
    text.chars()
        .all(|one| one.is_whitespace() || is_filler(one))
}
