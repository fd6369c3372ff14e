//! Visible and hidden text in HTML.

use serde_json::json;
use stead_mail::{FetchMails, GetMessageById, ListThreads};
use stead_testkit::cases;

use crate::{html, mail, message, part, plain, read};

#[test]
fn text_that_people_do_not_see_is_marked_and_has_a_handle() {
    for hidden in [
        "<div style=\"display:none\">SECRET</div>",
        "<div style=\"display: none !important; mso-hide:all\"><p>SECRET</p></div>",
        "<p hidden>SECRET</p>",
        "<span style='font-size:0'>SECRET</span>",
        "<span style='font-size:1px;line-height:1px'>SECRET</span>",
        "<span style='font-size:.05em'>SECRET</span>",
        "<span style='font:0/0 Arial'>SECRET</span>",
        "<span style='visibility:hidden'>SECRET</span>",
        "<span style='opacity:0.01'>SECRET</span>",
        "<div style='max-height:0;overflow:hidden'>SECRET</div>",
        "<div style='height:0;overflow:hidden'>SECRET</div>",
        "<div style='position:absolute;left:-9999px'>SECRET</div>",
        "<div style='text-indent:-9999px'>SECRET</div>",
        "<span style='color:#ffffff'>SECRET</span>",
        "<font color=white>SECRET</font>",
        "<table bgcolor='#000000'><tr><td style='color:#000'>SECRET</td></tr></table>",
        "<div style='background:#123456;color:rgb(18,52,86)'>SECRET</div>",
        "<span style='color:transparent'>SECRET</span>",
        "<style>.x{display:none}</style><div class='a x'>SECRET</div>",
        "<style>td, #pre { color:red; font-size:0 }</style><div id=pre>SECRET</div>",
        "<noscript>SECRET</noscript>",
        "<template>SECRET</template>",
        "<div style='display:none'><b>a</b></i></span>SECRET</p></div>",
        "<div style='display:none'><img alt='SECRET' src=x></div>",
        "<div style='display:none'/>SECRET</div>",
        "<title/>SECRET</title>",
    ] {
        let seen = html(&format!("{hidden}<p>Real</p>"));
        assert!(
            !seen.view.to_string().contains("SECRET"),
            "{hidden}: {}",
            seen.view
        );
        assert!(
            seen.text().contains("[hidden text left out]") && seen.text().ends_with("Real"),
            "{hidden}"
        );
        assert!(seen.is_truncated() && seen.has_whole("SECRET"), "{hidden}");
    }
    let smuggled: String = "SECRET"
        .chars()
        .filter_map(|one| char::from_u32(0xe_0000 + u32::from(one)))
        .collect();
    for seen in [
        plain(&format!("Real{smuggled}")),
        html(&format!("Real{smuggled}")),
    ] {
        assert_eq!(seen.text(), "Real [hidden text left out]");
        assert!(seen.has_whole("SECRET"));
    }
    for header in ["Subject", "From"] {
        let value = format!("Real{smuggled}");
        let seen = mail(part("text/plain", "Hi"), &[(header, &value)]);
        assert_eq!(
            seen.view[header.to_lowercase()],
            "Real [hidden text left out]"
        );
        assert!(seen.is_truncated() && seen.has_whole(&smuggled));
    }
}

#[test]
fn text_that_people_see_is_shown() {
    for shown in [
        "<td style='font-size:0'><div style='font-size:14px'>Seen</div></td>",
        "<div style='visibility:hidden'><span style='visibility:visible'>Seen</span></div>",
        "<a style='mso-hide:all'>Seen</a>",
        "<p style='display:none'><p>Seen</p>",
        "<table><tr><td><div hidden></td><td>Seen</td></tr></table>",
        "<dl><dt hidden><dd>Seen</dl>",
        "<div hidden></div>Seen",
        "<img style='display:none' alt=''>Seen",
        "<td style='background:#0a84ff'><a style='color:#fff'>Seen</a></td>",
        "<td background='dark.png'><a style='color:#fff'>Seen</a></td>",
        "<style>.b{background:#000}</style><td class=b><a style='color:#fff'>Seen</a></td>",
        "<style>@media (max-width:600px){.m{display:none}}</style><p class=m>Seen</p>",
        "<style media=print>.m{display:none}</style><p class=m>Seen</p>",
        "<div style='height:0'>Seen</div>",
        "<p style='font-size:1rem'>Seen</p>",
        "<p style='font-size:1vw'>Seen</p>",
        "<div style='opacity:1;color:#000;font:14px/20px Arial'>Seen</div>",
    ] {
        let seen = html(shown);
        assert_eq!(
            (seen.text(), seen.is_truncated()),
            ("Seen", false),
            "{shown}"
        );
    }
}

#[test]
fn filler_is_removed() {
    let filler = "&#847;&zwnj;&nbsp;&#8205;&#8288;".repeat(150);
    for (text, expected) in [
        (
            format!("<div>Preview{filler}</div><p>Your code is 4711</p>"),
            "Preview\n\nYour code is 4711",
        ),
        (
            format!("<div style='display:none'>Preview{filler}</div><p>Your code is 4711</p>"),
            "[hidden text left out]\n\nYour code is 4711",
        ),
        (
            format!("<div style='display:none'>{filler}</div><p>Your code is 4711</p>"),
            "Your code is 4711",
        ),
    ] {
        let found = read::<FetchMails>(
            &json!({}),
            &[
                json!({ "messages": [{ "id": "m1" }] }),
                message(part("text/html", &text), &[]),
            ],
        );
        assert_eq!(found.view["messages"][0]["text"], expected);
    }
    let filler = "\u{34f} \u{200c} \u{ad}\u{2060}".repeat(300);
    let snippet = format!("Preview{filler} Code");
    let minimal = json!({ "id": "m1", "threadId": "t1", "snippet": snippet });
    let input = json!({ "message_id": "m1", "format": "minimal" });
    assert_eq!(
        read::<GetMessageById>(&input, &[minimal]).text(),
        "Preview Code"
    );
    let threads = json!({ "threads": [{ "id": "t1", "snippet": snippet }] });
    let threads = read::<ListThreads>(&json!({}), &[threads]);
    assert_eq!(threads.view["threads"][0]["snippet"], "Preview Code");
    assert_eq!(
        plain(&format!("Preview{filler}\nYour code is 4711")).text(),
        "Preview\nYour code is 4711"
    );
    assert_eq!(
        plain("می\u{200c}خواهم 👩\u{200d}🔧").text(),
        "می\u{200c}خواهم 👩\u{200d}🔧"
    );
}

#[test]
fn elements_that_end_themselves_hide_nothing() {
    for text in [
        "<html><head><title/><style type=\"text/css\"/></head><body><p>Hello there</p></body></html>",
        "<script/><p>Hello there</p>",
        "<style/>Hello there",
        "<STYLE TYPE='text/css' />Hello there",
        "<iframe src=x />Hello there",
        "<title>never ended<p>Hello there</p>",
        "<style>p{}</style><script>x</script>Hello there",
    ] {
        let seen = html(text);
        assert!(
            seen.text().ends_with("Hello there") && !seen.text().contains('<'),
            "{text}: {}",
            seen.text()
        );
    }
    assert_eq!(html("<textarea>Hello <b></textarea>").text(), "Hello <b>");
}

#[test]
fn links_and_numbers_are_kept() {
    let table = r#"
        <a href="https://x.example/pay"><img src="b.png"></a> => https://x.example/pay
        Pay <a href='https://x.example/pay'><img src=b.png></a>. => Pay https://x.example/pay .
        <a href='https://x.example/pay'><img src=b.png alt=Pay></a> => [Pay] (https://x.example/pay)
        <a href='HTTPS://x.example/pay'>Pay</a> => Pay (HTTPS://x.example/pay)
        <a href='//x.example/pay'>Pay</a> => Pay (//x.example/pay)
        <a href='tel:+491234'>Call</a> => Call (tel:+491234)
        <a href='https://a.example'>One<a href='https://b.example'>Two</a> => One (https://a.example) Two (https://b.example)
        <a href='https://a.example'>One => One (https://a.example)
        <map><area href='https://x.example/pay' alt=Pay></map> => [Pay] (https://x.example/pay)
        <ol start="3"><li>three</li><li>four</ol> => 3. three\n4. four
        <ol><li value=7>seven<li>eight</ol> => 7. seven\n8. eight
        <ol type=a start=27><li>x</ol> => aa. x
        <ol type=I><li>x<li>y<ol><li>z</ol><li>w</ol> => I. x\nII. y\n1. z\nIII. w
        <ol reversed start=3><li>x<li>y</ol> => 3. x\n2. y
        <ol start=x><li>x</ol> => 1. x
    "#;
    for [text, expected] in cases(table) {
        let expected = expected.replace(r"\n", "\n");
        assert_eq!(html(text).text(), expected, "{text}");
    }
}
