//! Properties that hold for any range. `tests/fuzz` and a unit test call these functions, which panic if a property doesn't
//! hold.

use crate::{
    CellValue,
    a1::{check_range, split},
    looks::stored_as_text,
    titles::title_of,
};

/// A range is refused with its place, or accepted unchanged. A list is split at its commas. Any title can be written as a
/// range and read again.
pub fn a1_range(text: &str) {
    if let Err(error) = check_range("/range", text) {
        assert_eq!(error.violation_list()[0].path, "/range");
        assert!(!error.violation_list()[0].message.is_empty());
    }
    let pieces = split(text);
    assert!(pieces.iter().all(|piece| piece.trim() == *piece));
    assert_eq!(split(&pieces.join(",")), pieces, "{text:?}");
    for piece in pieces.iter().filter(|piece| piece.contains(',')) {
        assert!(piece.contains('\''), "there's a comma in {piece:?}");
    }

    for cells in ["!A1", "!A1:B2", ""] {
        let range = format!("'{}'{cells}", text.replace('\'', "''"));
        let is_range = check_range("/range", &range).is_ok();
        assert_eq!(is_range, !text.is_empty(), "{range:?}");
        assert_eq!(split(&range), [range.as_str()]);
        if !cells.is_empty() {
            assert_eq!(title_of(&range), text);
        }
    }
    // This check must accept any text of a cell.
    let _ = stored_as_text(&[vec![CellValue::Text(text.to_owned())]]);
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::RngSeed};

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

        #[test]
        fn any_range_is_refused_or_kept(text in "['!:, $A-C1-3é\\PC]{0,16}", any in any::<String>()) {
            a1_range(&text);
            a1_range(&any);
        }
    }
}
