//! The elements that are open, and which tags end them.

use super::style::Look;

/// Open elements that an end tag looks through. Only hostile documents nest deeper, and a search through all would take
/// them quadratic time.
const DEEPEST: usize = 256;

/// The open elements, the outermost first.
#[derive(Default)]
pub(super) struct Elements {
    open: Vec<(Vec<u8>, Look)>,
    /// How text is shown in none.
    paper: Look,
}

impl Elements {
    /// How text is shown here.
    pub(super) fn look(&self) -> Look {
        self.open.last().map_or(self.paper, |(_, look)| *look)
    }

    /// A style sheet paints backgrounds, in ways that are not all read.
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

    /// Ends what the start of an element ends: a paragraph, the item before, the cell before.
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

    /// Ends the element of this name, and all within it. An end tag reaches through no element that holds more than its own:
    /// one without a start tag ends nothing.
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

/// How much an element holds: 0 what stands in a line, 1 a block, then the parts of a table.
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

/// Line breaks around a block: two for a paragraph, one for a box, none for what stands within a line.
pub(super) fn lines_around(name: &[u8]) -> usize {
    match name {
        b"p" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"table" | b"dl" => 2,
        b"div" | b"tr" | b"li" | b"dt" | b"dd" | b"section" | b"article" | b"header"
        | b"footer" | b"center" | b"address" | b"figure" | b"figcaption" | b"form" | b"main"
        | b"nav" | b"aside" | b"caption" => 1,
        _ => 0,
    }
}

/// Elements without content or an end tag.
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
