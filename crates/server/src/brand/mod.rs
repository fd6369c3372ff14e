//! The operator's brand on the pages that end users see: name, logo, color and addresses.

mod color;
mod logo;

use stead::{Error, ErrorKind};
use url::Url;

pub(crate) use color::{Button, Colors};
pub(crate) use logo::Logo;

/// Maximum length of a name in characters.
const LONGEST_NAME: usize = 60;

/// The operator's brand on the pages of end users. Without a name, they show the host of the public URL.
///
/// ```
/// # fn run() -> Result<(), stead::Error> {
/// let brand = stead_server::Brand::default()
///     .name("Example Mail")?
///     .color("#0d5f5a")?
///     .support("mailto:help@example.com")?
///     .privacy("https://example.com/privacy")?;
/// let mut options = stead_server::ServerOptions::default();
/// options.brand = brand;
/// # Ok(()) }
/// # run().unwrap();
/// ```
#[derive(Debug, Clone, Default)]
pub struct Brand {
    pub(crate) name: Option<String>,
    pub(crate) logo: Option<Logo>,
    pub(crate) colors: Option<Colors>,
    pub(crate) support: Option<String>,
    pub(crate) privacy: Option<String>,
}

impl Brand {
    /// Name of the application, as its users know it: 1 to 60 characters on one line.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for another text.
    pub fn name(mut self, name: &str) -> Result<Self, Error> {
        let name = name.trim();
        let length = name.chars().count();
        if !(1..=LONGEST_NAME).contains(&length) || name.chars().any(char::is_control) {
            return Err(invalid(format!(
                "a name has 1 to {LONGEST_NAME} characters on one line; this one has {length}"
            )));
        }
        self.name = Some(name.to_owned());
        Ok(self)
    }

    /// The logo: the bytes of a PNG, or of an SVG that contains no script and refers to nothing elsewhere; at most 64
    /// KiB. It is shown 2.5rem (40 px) high.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for another file.
    pub fn logo(mut self, file: impl Into<Vec<u8>>) -> Result<Self, Error> {
        self.logo = Some(Logo::read(file.into()).map_err(invalid)?);
        Ok(self)
    }

    /// The color of buttons, as `#rrggbb`. Stead chooses white or black text for contrast. On dark pages, it lightens
    /// the color if necessary.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for another form, and for a color that cannot be told from the white page (WCAG
    /// 2.2, 1.4.11: a contrast of 3 : 1).
    pub fn color(mut self, color: &str) -> Result<Self, Error> {
        self.colors = Some(Colors::of(color).map_err(invalid)?);
        Ok(self)
    }

    /// Where users get help: a `mailto:` address or an `https:` page.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for another address.
    pub fn support(mut self, address: &str) -> Result<Self, Error> {
        self.support = Some(address_of(address, &["mailto", "https"])?);
        Ok(self)
    }

    /// Where the application says what it does with data: an `https:` page.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for another address.
    pub fn privacy(mut self, address: &str) -> Result<Self, Error> {
        self.privacy = Some(address_of(address, &["https"])?);
        Ok(self)
    }
}

fn address_of(text: &str, schemes: &[&str]) -> Result<String, Error> {
    let url = Url::parse(text.trim()).ok();
    let url = url.filter(|url| match url.scheme() {
        "mailto" => url.path().contains('@'),
        _ => url.has_host() && url.username().is_empty() && url.password().is_none(),
    });
    url.filter(|url| schemes.contains(&url.scheme()))
        .map(String::from)
        .ok_or_else(|| {
            let forms: Vec<&str> = schemes
                .iter()
                .map(|scheme| match *scheme {
                    "mailto" => "mailto:help@example.com",
                    _ => "https://example.com/page",
                })
                .collect();
            invalid(format!(
                "expected an address such as {}",
                forms.join(" or ")
            ))
        })
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidRequest, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_are_checked() {
        let brand = || Brand::default();
        assert_eq!(
            brand().name(" Acme ").unwrap().name.as_deref(),
            Some("Acme")
        );
        for name in ["", " ", "a\nb", &"x".repeat(61)] {
            assert!(brand().name(name).is_err(), "{name:?}");
        }
        for address in ["mailto:help@example.com", "https://example.com/help"] {
            assert!(brand().support(address).is_ok(), "{address}");
        }
        for address in [
            "help@example.com",
            "mailto:help",
            "http://example.com",
            "javascript:alert(1)",
            "https://user:secret@example.com",
            "https:",
        ] {
            assert!(brand().support(address).is_err(), "{address}");
        }
        assert!(brand().privacy("https://example.com/privacy").is_ok());
        let error = brand().privacy("mailto:help@example.com").unwrap_err();
        assert!(
            error
                .to_string()
                .contains("such as https://example.com/page"),
            "{error}"
        );
    }
}
