//! Rules for every operation.

use std::collections::BTreeSet;

use crate::{
    api::{Info, Run},
    environment::{Environment, Visit, visit},
};

fn all() -> Vec<Info> {
    struct All(Vec<Info>);
    impl Visit for All {
        fn operation<O: Run<Environment>>(&mut self) {
            self.0.push(O::INFO);
        }
    }
    let mut all = All(Vec::new());
    visit(&mut all);
    all.0
}

#[test]
fn the_members_of_a_path_are_named_in_its_order() {
    for info in all() {
        let named: Vec<&str> = info.path.split(['{', '}']).skip(1).step_by(2).collect();
        assert_eq!(named, info.path_members, "{} {}", info.method, info.path);
    }
}

#[test]
fn a_path_has_one_operation_by_method() {
    let mut seen = BTreeSet::new();
    for info in all() {
        assert!(
            seen.insert((info.path, info.method)),
            "{} {}",
            info.method,
            info.path
        );
    }
}
