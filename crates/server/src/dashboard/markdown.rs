//! Renders a product's Markdown as a part of a page: lists, links and code to copy.

use minijinja::{HtmlEscape, Value};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Parser, Tag, TagEnd, html::push_html};

use super::icons;

/// The text as HTML. It escapes HTML in the text and only allows links to https.
pub(super) fn markdown(text: &str) -> Value {
    let mut code: Option<String> = None;
    let mut events = Vec::new();
    for event in Parser::new(text) {
        match (event, &mut code) {
            (
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented)),
                _,
            ) => {
                code = Some(String::new());
            }
            (Event::End(TagEnd::CodeBlock), Some(lines)) => {
                events.push(Event::Html(to_copy(lines.trim_end()).into()));
                code = None;
            }
            (Event::Text(line), Some(lines)) => lines.push_str(&line),
            (event, _) => events.push(plain(event)),
        }
    }
    let mut html = String::new();
    push_html(&mut html, events.into_iter());
    Value::from_safe_string(html)
}

fn plain(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }) => Event::Start(Tag::Link {
            link_type,
            dest_url: match dest_url.starts_with("https://") {
                true => dest_url,
                false => CowStr::Borrowed("#"),
            },
            title,
            id,
        }),
        event => event,
    }
}

/// The HTML of the macro `code`.
fn to_copy(lines: &str) -> String {
    let (lines, icon) = (HtmlEscape(lines), icons::icon("copy"));
    format!(
        "<div class=\"code\"><pre tabindex=\"0\"><code>{lines}</code></pre><button type=\"button\" class=\"plain\" data-copy=\"{lines}\" hidden aria-label=\"Copy\" title=\"Copy\">{icon}</button></div>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_links_and_code_are_html_and_anything_else_is_text() {
        let text = "1. Open [it](https://a.example/) and **do**:\n\n   ```sql\n   A = '<x>';\n   ```\n2. `b`";
        let html = markdown(text).to_string();
        for part in [
            "<ol>",
            "<a href=\"https://a.example/\">it</a> and <strong>do</strong>",
            "<code>A = &#x27;&lt;x&gt;&#x27;;</code></pre>",
            "data-copy=\"A = &#x27;&lt;x&gt;&#x27;;\"",
            "<code>b</code>",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        for text in [
            "<script>x</script>",
            "a <script>x",
            "[a](javascript:x)",
            "`<script>`",
        ] {
            let html = markdown(text).to_string();
            assert!(
                !html.contains("<script") && !html.contains("javascript"),
                "{html}"
            );
        }
    }
}
