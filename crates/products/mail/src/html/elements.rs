//! Tracks the open elements, and which tags close them.

use super::style::Look;

/// Open elements that an end tag searches. Only malicious documents nest deeper, and searching all elements would take
/// quadratic time.
const DEEPEST: usize = 256;

/// The open elements, outermost first.
#[derive(Default)]
pub(super) struct Elements {
    open: Vec<(Vec<u8>, Look)>,
    /// The look outside all elements.
    paper: Look,
}

impl Elements {
    /// The look of text at this point.
    pub(super) fn look(&self) -> Look {
        self.open.last().map_or(self.paper, |(_, look)| *look)
    }

    /// Call this if a style sheet sets backgrounds, since not every way to do so is parsed.
    pub(super) fn paper_is_unknown(&mut self) {
        self.paper.background = None;
        for (_, look) in &mut self.open {
            look.background = None;
        }
    }

    pub(super) fn push(&mut self, name: &[u8], look: Look) {
        self.open.push((name.to_owned(), look));
    }

    pub(super) fn pop(&mut self) {
        self.open.pop();
    }

    /// Closes the elements that the start of this one closes: a paragraph, the previous item, the previous cell.
    pub(super) fn start(&mut self, name: &[u8]) {
        let stop = |one: &[u8]| rank(one) > 0;
        if rank(name) > 0 {
            self.close(|one| one == b"p", stop);
        }
        match name {
            b"li" => self.close(
                |one| one == b"li",
                |one| matches!(one, b"ul" | b"ol") || rank(one) > 1,
            ),
            b"dd" | b"dt" => self.close(
                |one| matches!(one, b"dd" | b"dt"),
                |one| one == b"dl" || rank(one) > 1,
            ),
            b"td" | b"th" | b"tr" | b"tbody" | b"thead" | b"tfoot" => {
                let own = rank(name);
                self.close(|one| rank(one) == own, |one| rank(one) > own);
            }
            b"a" => self.close(|one| one == b"a", |one| rank(one) > 1),
            _ => {}
        }
    }

    /// Closes the element of this name and everything in it. An end tag doesn't close elements of a higher rank. So an end
    /// tag without a start tag has no effect.
    pub(super) fn end(&mut self, name: &[u8]) {
        let own = rank(name);
        self.close(|one| one == name, |one| rank(one) > own);
    }

    fn close(&mut self, ends: impl Fn(&[u8]) -> bool, stops: impl Fn(&[u8]) -> bool) {
        for (index, (name, _)) in self.open.iter().enumerate().rev().take(DEEPEST) {
            if ends(name) {
                self.open.truncate(index);
                return;
            }
            if stops(name) {
                return;
            }
        }
    }
}

/// Rank of an element: 0 inline, 1 a block, higher ones for tables and the document.
fn rank(name: &[u8]) -> u8 {
    match name {
        b"html" | b"body" | b"template" => 6,
        b"table" => 5,
        b"tbody" | b"thead" | b"tfoot" => 4,
        b"tr" => 3,
        b"td" | b"th" | b"caption" => 2,
        b"li" | b"ul" | b"ol" | b"blockquote" | b"pre" | b"hr" | b"head" => 1,
        name => u8::from(lines_around(name) > 0),
    }
}

/// Line breaks around a block: two for a paragraph, one for a box, none for an inline element.
pub(super) fn lines_around(name: &[u8]) -> usize {
    match name {
        b"p" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"table" | b"dl" => 2,
        b"div" | b"tr" | b"li" | b"dt" | b"dd" | b"section" | b"article" | b"header"
        | b"footer" | b"center" | b"address" | b"figure" | b"figcaption" | b"form" | b"main"
        | b"nav" | b"aside" | b"caption" => 1,
        _ => 0,
    }
}

/// Elements that have no content and no end tag.
pub(super) fn is_void(name: &[u8]) -> bool {
    matches!(
        name,
        b"area"
            | b"base"
            | b"br"
            | b"col"
            | b"embed"
            | b"hr"
            | b"img"
            | b"input"
            | b"link"
            | b"meta"
            | b"param"
            | b"source"
            | b"track"
            | b"wbr"
    )
}
