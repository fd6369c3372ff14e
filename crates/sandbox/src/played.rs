//! The page of the book that lists what the sandbox plays, from the declarations of the methods.

use crate::{google, warehouse, workspace};

/// An API: what it is called, what of it is played, and how many methods are not.
pub(crate) struct Api {
    pub(crate) title: &'static str,
    /// The method's name, HTTP method and path.
    pub(crate) played: Vec<[String; 3]>,
    pub(crate) others: usize,
}

/// The page as Markdown.
#[must_use]
pub fn reference() -> String {
    let mut page = String::from(
        "<!-- Made by `cargo xtask codegen`; do not edit by hand. -->\n\n\
         # What the sandbox plays\n\n\
         The sandbox plays the methods of this page. If you call another method of these products, it returns 501 and\n\
         says that the product has the method. An address that the product doesn't have returns the product's own error.\n",
    );
    let apis = google::played()
        .into_iter()
        .chain([workspace::played(), warehouse::played()]);
    for api in apis {
        page += &format!("\n## {}\n\n| Method | Request |\n|---|---|\n", api.title);
        for [name, verb, path] in api.played {
            page += &format!("| {name} | `{verb} {path}` |\n");
        }
        if api.others > 0 {
            page += &format!("\n501 for {} other methods.\n", api.others);
        }
    }
    page + "\n## Next\n\n- [Test against the sandbox](../build/sandbox.md): change its data, or let it fail.\n"
}
