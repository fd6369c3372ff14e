//! Properties that hold for every input.

use proptest::{prelude::*, test_runner::RngSeed};

use super::ENTRY;
use crate::fuzzing::{Subject, tool_input};

thread_local! {
    static SUBJECT: Subject = Subject::new(&ENTRY);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn any_input_is_refused_or_stays_as_it_was_read(members in prop::collection::vec((
        "note_id|colour|position|weight|pinned|places|author|parent|labels|extra|either|a/b~c|tool_version|x",
        "null|true|\"(true|dark blue|a|5|null|\\[\\]|\\{\\})\"|-?[0-9]{1,6}(\\.[05])?|\\[\\]|\\{\\}|\\[\\{\"folder\":(1|\"x\"),\"row\":\"?[0-9]\"?\\}\\]|\\{\"full/name~\":(1|\"x\"|null)\\}",
    ), 0..5)) {
        let members = members.iter().map(|(name, value)| format!("\"{name}\":{value}"));
        let members: Vec<String> = [String::from("\"note_id\":\"a\"")].into_iter().chain(members).collect();
        SUBJECT.with(|subject| tool_input(subject, &format!("{{{}}}", members.join(","))));
    }
}
