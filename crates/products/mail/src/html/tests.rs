//! Well-formed and malformed HTML of mails.

use super::*;

#[track_caller]
fn check(html: &str, expected: &str) {
    assert_eq!(to_text(html).text, expected, "{html}");
}

#[test]
fn blocks_and_lines() {
    check("<p>One</p><p>Two</p>", "One\n\nTwo");
    check("<div>One</div><div>Two<br>Three</div>", "One\nTwo\nThree");
    check("  a \n  b&nbsp;c  ", "a b c");
    check("a<b>b</b>c <i> d</i>", "abc d");
    check("<pre>a\n  b</pre>c", "a\n  b\n\nc");
    check("", "");
}

#[test]
fn invisible_markup_is_omitted() {
    check(
        "<html><head><title>T</title><style>p{color:red}</style></head><body>x<script>if (a<b) {}</script>y</body>",
        "xy",
    );
    check("a<!-- <p>b</p> -->c<![if !mso]>d<![endif]>", "acd");
    check(
        "x<img src='https://t.example/p.gif' width=1 height=1>y",
        "xy",
    );
    check("z&#8203;&shy;&#847;z", "zz");
}

#[test]
fn links_keep_their_address() {
    check(
        "see <a href='https://e.com/a?b=c&amp;d'>this</a>.",
        "see this (https://e.com/a?b=c&d).",
    );
    check("<a href='https://e.com/'>e.com</a>", "e.com");
    check("<a href='mailto:a@b.c'>a@b.c</a>", "a@b.c");
    check(
        "<a href='https://e.com'><img src=x></a>.",
        "https://e.com .",
    );
    check("<a href='javascript:x()'>x</a>", "x");
    check(
        "<a href='https://e.com'><img src=x alt=Logo></a>",
        "[Logo] (https://e.com)",
    );
}

#[test]
fn lists_tables_and_quotations() {
    check("<ul><li>One<li>Two</ul>after", "* One\n* Two\n\nafter");
    check("<ol><li>One</li><li>Two</li></ol>", "1. One\n2. Two");
    check(
        "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
        "a b\nc",
    );
    check(
        "Hi<blockquote>old<br>mail</blockquote>bye",
        "Hi\n\n> old\n> mail\n\nbye",
    );
    check(
        "<blockquote>a<p>b</p><blockquote>c</blockquote></blockquote>",
        "> a\n>\n> b\n>\n> > c",
    );
}

#[test]
fn hostile_documents_take_linear_time() {
    for html in [
        "<div>".repeat(40_000),
        "<table><tr><td>".repeat(20_000),
        "<blockquote><ul><li>".repeat(10_000),
        format!(
            "<a {}>",
            (0..20_000)
                .map(|number| format!("a{number} "))
                .collect::<String>()
        ),
        "<font a=1><p>".repeat(20_000),
        "<!--".repeat(40_000),
        "&".repeat(100_000),
        "<br>x".repeat(40_000),
        format!(
            "<table><tr><td>{}{}",
            "<b><i>".repeat(10_000),
            "</u></p>".repeat(10_000)
        ),
        "<style>.a{display:none}</style><p class=a>x".repeat(4_000),
        "<a href='https://e.com'>".repeat(10_000),
    ] {
        assert!(to_text(&html).text.len() <= 20 * html.len());
    }
}
