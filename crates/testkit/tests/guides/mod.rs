//! A product with misleading guides for the set-up of a connection.

use stead_core::product::{Product, SettingField, TestCall};

/// A product whose guides name what there is not.
pub(super) const MISLEADING: Product = Product {
    setting_fields: &[SettingField {
        name: "nowhere",
        title: "Nowhere",
        about: "",
        is_required: false,
    }],
    capabilities: &[("read", &["bad_nothing"])],
    test_calls: &[TestCall {
        tool: "bad_read_note",
        input: "{}",
        about: "",
        finds_nothing: false,
    }],
    ..Product::BASE
};

#[test]
fn guides() {
    super::finds(
        &super::BAD,
        "guides_name_existing_tools_and_settings",
        &[
            "bad_read_note: no test of a connection",
            "bad_nothing: a capability enables what there is not",
            "nowhere: the product has no such setting",
        ],
    );
}
