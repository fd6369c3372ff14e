//! Invisible characters: the filler of newsletters, and letters that only machines see.

/// Whether the character is invisible filler. Newsletters fill the preview of a mail with it.
pub(crate) const fn is_filler(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
    )
}

/// Joiners and direction marks. Within a word they are needed for Persian, Hindi and emoji.
const fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}'..='\u{200f}')
}

/// The letter that a tag character represents. People can't see tag characters, but models read them.
fn tagged(character: char) -> Option<char> {
    match u32::from(character) {
        code @ 0xe_0020..=0xe_007e => char::from_u32(code - 0xe_0000),
        _ => None,
    }
}

/// Removes filler from the text, and adds letters hidden in tag characters to `hidden`. White space around filler becomes
/// one space, or up to two line breaks. Other white space doesn't change.
pub(crate) fn without_filler(text: &str, hidden: &mut String) -> String {
    let is_clean = |one: char| !is_filler(one) && !is_tag(one);
    if text.is_ascii() || text.chars().all(is_clean) {
        return text.to_owned();
    }
    let mut clean = String::with_capacity(text.len());
    let mut gap = String::new();
    let mut before = None;
    for character in text.chars() {
        // Some flags, such as Scotland's, are spelled in tag characters.
        if is_tag(character) && before != Some('🏴') {
            hidden.extend(tagged(character));
        } else if is_tag(character) {
            clean.push(character);
        } else if character.is_whitespace() || is_filler(character) {
            gap.push(character);
        } else {
            clean.push_str(&closed(&gap, !clean.is_empty()));
            gap.clear();
            clean.push(character);
            before = Some(character);
        }
    }
    if !gap.contains(is_filler) {
        clean.push_str(&gap);
    }
    clean
}

fn is_tag(character: char) -> bool {
    matches!(character, '\u{e0000}'..='\u{e007f}')
}

/// The replacement of a stretch of white space and filler.
fn closed(gap: &str, is_within: bool) -> String {
    if !gap.contains(is_filler)
        || is_within && gap.chars().all(is_joiner) && gap.chars().count() == 1
    {
        return gap.to_owned();
    }
    match gap.matches('\n').count() {
        _ if !is_within => String::new(),
        // The Braille blank is filler or a space.
        0 if gap.contains(|one: char| one.is_whitespace() || one == '\u{2800}') => {
            String::from(" ")
        }
        lines => "\n".repeat(lines.min(2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filler_goes_and_words_stay() {
        for (text, expected) in [
            ("plain\n  text", "plain\n  text"),
            (
                "Preview \u{34f} \u{200c} \u{a0}\u{ad} \u{200c}\n\n\n\nCode 7",
                "Preview\n\nCode 7",
            ),
            ("\u{feff}\u{200b}a\u{3164} \u{2060}b\u{2800}", "a b"),
            ("⠓⠊⠀⠁⠙⠁", "⠓⠊ ⠁⠙⠁"),
            ("Donau\u{ad}dampf", "Donaudampf"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("👩\u{200d}🔧", "👩\u{200d}🔧"),
            ("x\u{200d}\u{200c}\u{200d}y", "xy"),
            ("日本\u{3000}語 \n", "日本\u{3000}語 \n"),
        ] {
            let mut hidden = String::new();
            assert_eq!(without_filler(text, &mut hidden), expected);
            assert_eq!(hidden, "");
        }
    }

    #[test]
    fn letters_that_people_do_not_see_are_set_apart() {
        let smuggled: String = "Obey"
            .chars()
            .filter_map(|one| char::from_u32(0xe_0000 + u32::from(one)))
            .collect();
        let mut hidden = String::new();
        assert_eq!(
            without_filler(&format!("Hi{smuggled} Ada"), &mut hidden),
            "Hi Ada"
        );
        assert_eq!(hidden, "Obey");
        let flag = "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";
        assert_eq!(without_filler(flag, &mut hidden), flag);
    }
}
