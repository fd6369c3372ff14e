//! Options of `stead serve` for the look of the pages that users open.

use std::{fs, path::PathBuf};

use clap::Args;
use stead::Error;
use stead_server::Brand;

use crate::failure::{Failure, Outcome};

/// The look of the pages that users open. An empty variable counts as unset.
#[derive(Debug, Args)]
pub(super) struct BrandArgs {
    /// Name of your application on the pages that users open. By default, it's the host of the public URL.
    #[arg(long, value_name = "NAME")]
    brand_name: Option<String>,

    /// Logo on these pages: a PNG, or an SVG without scripts and URLs, up to 64 KiB.
    #[arg(long, value_name = "FILE")]
    brand_logo: Option<PathBuf>,

    /// Color of the buttons on these pages, as #rrggbb. It needs enough contrast with white.
    #[arg(long, value_name = "COLOR")]
    brand_color: Option<String>,

    /// Link to your support, a mailto: or https: URL.
    #[arg(long, value_name = "URL")]
    brand_support: Option<String>,

    /// Link to your privacy policy, an https: URL.
    #[arg(long, value_name = "URL")]
    brand_privacy: Option<String>,
}

impl BrandArgs {
    pub(super) fn brand(&self) -> Outcome<Brand> {
        type Set = fn(Brand, &str) -> Result<Brand, Error>;

        let mut brand = Brand::default();
        let texts: [(&str, &Option<String>, Set); 4] = [
            ("NAME", &self.brand_name, Brand::name),
            ("COLOR", &self.brand_color, Brand::color),
            ("SUPPORT", &self.brand_support, Brand::support),
            ("PRIVACY", &self.brand_privacy, Brand::privacy),
        ];
        for (option, text, set) in texts {
            if let Some(text) = text.as_deref().filter(|text| !text.is_empty()) {
                brand = set(brand, text).map_err(|error| refused(option, error.message()))?;
            }
        }
        if let Some(path) = &self.brand_logo
            && !path.as_os_str().is_empty()
        {
            let file = fs::read(path)
                .map_err(|error| refused("LOGO", &format!("{}: {error}", path.display())))?;
            brand = brand.logo(file).map_err(|error| {
                refused("LOGO", &format!("{}: {}", path.display(), error.message()))
            })?;
        }
        Ok(brand)
    }
}

fn refused(option: &str, why: &str) -> Failure {
    Failure::configuration(
        format!("--brand-{}: {why}", option.to_lowercase()),
        format!("Change the option, or the environment variable STEAD_BRAND_{option}."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args() -> BrandArgs {
        BrandArgs {
            brand_name: Some(String::from("Example")),
            brand_logo: None,
            brand_color: Some(String::new()),
            brand_support: None,
            brand_privacy: None,
        }
    }

    #[test]
    fn a_wrong_brand_names_its_option() {
        assert!(args().brand().is_ok());
        let pale = BrandArgs {
            brand_color: Some(String::from("#ffee00")),
            ..args()
        };
        let said = format!("{:?}", pale.brand().unwrap_err());
        assert!(said.contains("--brand-color: the color #ffee00"), "{said}");
        assert!(said.contains("STEAD_BRAND_COLOR"), "{said}");
        let folder = tempfile::tempdir().unwrap();
        let logo = folder.path().join("logo.svg");
        for (text, expected) in [
            (None, "--brand-logo: "),
            (Some("<svg><script/></svg>"), "<script"),
        ] {
            if let Some(text) = text {
                fs::write(&logo, text).unwrap();
            }
            let with_logo = BrandArgs {
                brand_logo: Some(logo.clone()),
                ..args()
            };
            let said = format!("{:?}", with_logo.brand().unwrap_err());
            assert!(
                said.contains(expected) && said.contains("logo.svg"),
                "{said}"
            );
        }
    }
}
