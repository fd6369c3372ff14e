//! Opens every page of the dashboard that links lead to, and checks it once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::Result;
use url::Url;

use crate::stage::Stage;

/// The most pages to open.
const MOST: usize = 250;
/// The number of pages to open of each kind, such as those of single tools.
const ALIKE: usize = 2;
const LINKS: &str = "return [...document.querySelectorAll('a[href]')].map((link) => link.href);";

/// Follows the links from the open page, and checks one page of each kind. Returns the kinds.
pub(crate) async fn walk(stage: &Stage<'_>, origin: &str) -> Result<BTreeSet<String>> {
    let browser = &stage.browser;
    let mut waiting = VecDeque::from([browser.address().await?]);
    let (mut known, mut kinds) = (BTreeSet::new(), BTreeSet::new());
    let mut alike: BTreeMap<String, usize> = BTreeMap::new();
    let mut opened = 0;
    while let Some(address) = waiting.pop_front() {
        if opened == MOST {
            break;
        }
        opened += 1;
        browser.go(&address).await?;
        let kind = browser
            .evaluate("return document.body.dataset.page || '';")
            .await?;
        let kind = kind
            .as_str()
            .unwrap_or_default()
            .trim_end_matches(".html")
            .replace('/', "-");
        if kind.is_empty() {
            stage.fault(format!("{address}: not a page of the dashboard"));
        } else if kinds.insert(kind.clone()) {
            stage.look(&kind).await?;
        }
        for link in browser
            .evaluate(LINKS)
            .await?
            .as_array()
            .into_iter()
            .flatten()
        {
            let Some(mut link) = link.as_str().and_then(|link| Url::parse(link).ok()) else {
                continue;
            };
            link.set_fragment(None);
            let is_own = link.as_str().starts_with(origin) && link.path().starts_with("/dashboard");
            // The preview is a page for users, and its form leads nowhere.
            let is_own = is_own && !link.path().ends_with("/appearance/preview");
            if !is_own || !known.insert(link.to_string()) {
                continue;
            }
            let alike = alike.entry(family(&link)).or_default();
            *alike += 1;
            if *alike <= ALIKE
                || link.query().is_none() && link.path().matches('/').count() <= 3 && *alike <= 12
            {
                waiting.push_back(link.to_string());
            }
        }
    }
    Ok(kinds)
}

/// The kind of a page: the folder of its address, and the names in its query.
fn family(link: &Url) -> String {
    let folder = link
        .path()
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder);
    let names: Vec<_> = link
        .query_pairs()
        .map(|(name, _)| name.into_owned())
        .collect();
    match names.is_empty() {
        true => format!("{folder}/"),
        false => format!("{}?{}", link.path(), names.join("&")),
    }
}
