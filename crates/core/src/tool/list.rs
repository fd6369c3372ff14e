//! Declares the list of a product's tools.

/// The tools of a product, one line each: the module, the export of the tool with its result, and its entry in
/// `TOOLS`.
///
/// It stands in `tools/mod.rs`, from a to z:
/// ```text
/// stead_core::tools! {
///     create_note::CreateNote,
///     read_note::ReadNote,
/// }
/// ```
#[macro_export]
macro_rules! tools {
    ($($module:ident::$tool:ident),+ $(,)?) => {
        $(
            mod $module;
            pub use $module::*;
        )+

        pub(crate) static TOOLS: &[$crate::tool::ToolEntry] =
            &[$($crate::tool::ToolEntry::of::<$tool>()),+];
    };
}
