//! The user's signature below the text of a mail.

use std::borrow::Cow;

use crate::{BodyType, html};

/// The body with the signature below it. Gmail has signatures in HTML.
pub(crate) fn signed<'a>(
    body: &'a str,
    body_type: BodyType,
    signature: Option<&str>,
) -> Cow<'a, str> {
    match (signature, body_type) {
        (None, _) => body.into(),
        (Some(signature), BodyType::Text) => match html::to_visible_text(signature) {
            // An image without a text.
            text if text.is_empty() => body.into(),
            text => format!("{body}\n\n{text}").into(),
        },
        (Some(signature), BodyType::Html) => {
            format!("{body}<br><div class=\"gmail_signature\">{signature}</div>").into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNATURE: &str =
        "<div dir=\"ltr\">Ada<br><a href=\"https://ada.example\">Engine &amp; Co</a></div>";

    #[test]
    fn a_signature_has_the_form_of_its_mail() {
        let text = "Hello\n\nAda\nEngine & Co (https://ada.example)";
        assert_eq!(signed("Hello", BodyType::Text, Some(SIGNATURE)), text);
        let html = format!("<p>Hello</p><br><div class=\"gmail_signature\">{SIGNATURE}</div>");
        assert_eq!(
            signed("<p>Hello</p>", BodyType::Html, Some(SIGNATURE)),
            html
        );
    }

    #[test]
    fn without_a_signature_the_body_stays() {
        for body_type in [BodyType::Text, BodyType::Html] {
            assert_eq!(signed("Hello\n", body_type, None), "Hello\n");
        }
        let image = "<img src=\"https://ada.example/logo.png\">";
        assert_eq!(signed("Hello\n", BodyType::Text, Some(image)), "Hello\n");
    }
}
