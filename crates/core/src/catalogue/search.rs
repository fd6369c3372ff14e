//! Ranked search over tools' names, descriptions and parameters. The same words always give the same list.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Catalogue, CatalogueTool};
use crate::{
    Error, Result,
    schema::{Detail, ExportFormat},
    similar::unknown,
    tool::Effect,
};

/// Default number of tools that a search returns.
const FOUND: u32 = 5;
/// Maximum length of a query in bytes. The rest is ignored.
const QUERY: usize = 500;

/// Weights of a word in the tool's name, its description, a parameter's name and a parameter's description.
const WEIGHTS: [u32; 4] = [12, 5, 3, 1];

/// Synonyms: words of a query, with the words that tools use.
const SYNONYMS: &[(&str, &[&str])] = &[
    ("appointment", &["event"]),
    ("meeting", &["event"]),
    ("add", &["create", "insert"]),
    ("make", &["create"]),
    ("new", &["create"]),
    ("change", &["update"]),
    ("edit", &["update"]),
    ("move", &["update"]),
    ("cancel", &["delete"]),
    ("remove", &["delete"]),
    ("doc", &["page", "file"]),
    ("document", &["page", "file"]),
    ("note", &["page"]),
    ("email", &["mail", "message"]),
    ("inbox", &["mail"]),
    ("person", &["people", "contact"]),
    ("cell", &["value", "range"]),
    ("excel", &["spreadsheet"]),
    ("folder", &["file"]),
    ("sql", &["query", "statement"]),
    ("find", &["search"]),
    ("write", &["update", "create"]),
];

/// Find tools by what they do. Returns names, what each tool does, and required parameters. If nothing fits, search
/// again with other words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchTools {
    /// Task, in a few words, such as `list unread mails`.
    #[schemars(length(min = 1))]
    pub query: String,
    /// Only tools of this product.
    pub product: Option<String>,
    /// Maximum number of tools to return. Defaults to 5.
    #[schemars(range(min = 1, max = 20))]
    pub limit: Option<u32>,
}

/// Search results, best match first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FoundTools {
    /// The tools.
    pub tools: Vec<FoundTool>,
    /// Advice if no tool matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A tool that a search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FoundTool {
    /// Name.
    pub name: String,
    /// Description in one sentence.
    pub description: String,
    /// Effect of a call.
    pub effect: Effect,
    /// Required parameters.
    pub required: Vec<String>,
}

/// Words of a tool, by their place.
struct Words<'c> {
    tool: &'c CatalogueTool,
    places: [BTreeSet<String>; 4],
}

impl Catalogue {
    /// The tools that match the words, best match first, then by name. With `products`, only tools of these products.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for an unknown product.
    pub fn search(&self, asked: &SearchTools, products: Option<&[String]>) -> Result<FoundTools> {
        let is_among = |name| products.is_none_or(|all| all.iter().any(|one| one == name));
        search_among(
            asked,
            self.newest().filter(|tool| is_among(tool.product.name)),
        )
    }
}

/// The same among these tools.
pub(crate) fn search_among<'c>(
    asked: &SearchTools,
    tools: impl Iterator<Item = &'c CatalogueTool>,
) -> Result<FoundTools> {
    let tools: Vec<_> = tools.collect();
    let known: BTreeSet<_> = tools.iter().map(|tool| tool.product.name).collect();
    let known = || known.iter().copied();
    if let Some(product) = &asked.product
        && !known().any(|name| name == product)
    {
        return Err(Error::invalid_at("/product", unknown(product, known())));
    }
    let is_asked = |tool: &CatalogueTool| {
        let product = asked.product.as_ref();
        product.is_none_or(|product| product == tool.product.name)
    };
    let all = tools.into_iter().filter(|tool| is_asked(tool));
    let all = all.map(Words::of).collect::<Result<Vec<_>>>()?;
    let mut ranked: Vec<_> = all.iter().map(|words| (0, words)).collect();
    for word in words(crate::scrub::scrub(&asked.query, QUERY).as_str()) {
        let score = |tool: &Words<'_>| tool.score(&word);
        let rarity = rarity(all.len(), all.iter().filter(|tool| score(tool) > 0).count());
        for (total, tool) in &mut ranked {
            *total += score(tool) * rarity;
        }
    }
    ranked.retain(|(total, _)| *total > 0);
    ranked.sort_by(|(a, one), (b, other)| b.cmp(a).then_with(|| one.name().cmp(other.name())));
    let limit = asked.limit.unwrap_or(FOUND) as usize;
    let best = ranked.iter().take(limit);
    let tools = best
        .map(|(_, words)| FoundTool::of(words.tool))
        .collect::<Result<Vec<_>>>()?;
    let hint = tools.is_empty().then(|| {
        let products: Vec<_> = known().collect();
        format!(
            "No tool matches. Use other words, or name a product: {}.",
            products.join(", ")
        )
    });
    Ok(FoundTools { tools, hint })
}

impl FoundTool {
    fn of(tool: &CatalogueTool) -> Result<Self> {
        let exported = tool.export_with(ExportFormat::Mcp, Detail::Compact)?.tool;
        let required = exported["inputSchema"]["required"].as_array();
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        Ok(Self {
            name: tool.entry.name().to_owned(),
            description: exported["description"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            effect: tool.entry.effect(),
            required: required.map(str::to_owned).collect(),
        })
    }
}

impl<'c> Words<'c> {
    fn of(tool: &'c CatalogueTool) -> Result<Self> {
        let schema = tool.schema()?;
        let parameters = schema.for_models()["properties"].as_object();
        let (mut names, mut texts) = (String::new(), String::new());
        for (name, parameter) in parameters.into_iter().flatten() {
            names.push_str(name);
            names.push(' ');
            texts.push_str(parameter["description"].as_str().unwrap_or_default());
            texts.push(' ');
        }
        let places = [tool.entry.name(), schema.description(), &names, &texts];
        let places = places.map(|text| words(text).collect());
        Ok(Self { tool, places })
    }

    fn name(&self) -> &str {
        self.tool.entry.name()
    }

    /// The highest weight of a word or one of its synonyms.
    fn score(&self, word: &str) -> u32 {
        let meant = SYNONYMS.iter().filter(|(asked, _)| *asked == word);
        let meant = meant.flat_map(|(_, used)| used.iter().copied());
        let best = |word: &str| {
            let places = WEIGHTS.into_iter().zip(&self.places);
            let found = places.filter(|(_, words)| words.contains(word));
            found.map(|(weight, _)| weight).max().unwrap_or_default()
        };
        meant
            .map(best)
            .chain([best(word)])
            .max()
            .unwrap_or_default()
    }
}

/// The words of a text in lower case and singular, without stop words.
fn words(text: &str) -> impl Iterator<Item = String> {
    const SAY_NOTHING: &[&str] = &[
        "a", "all", "an", "and", "as", "at", "by", "for", "from", "i", "in", "is", "it", "me",
        "my", "of", "on", "or", "that", "the", "to", "user", "what", "when", "with",
    ];
    let separate = |letter: char| !letter.is_alphanumeric();
    let words = text.split(separate).filter(|word| !word.is_empty());
    let words = words.map(|word| singular(&word.to_lowercase()));
    words.filter(|word| !SAY_NOTHING.contains(&word.as_str()))
}

fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 2) {
        return format!("{stem}y");
    }
    let stem = word
        .strip_suffix('s')
        .filter(|stem| stem.len() > 2 && !stem.ends_with(['s', 'u']));
    stem.unwrap_or(word).to_owned()
}

/// Weight of a word by the number of tools that have it. Rare words count more.
fn rarity(all: usize, found: usize) -> u32 {
    1 + all
        .checked_div(found)
        .unwrap_or_default()
        .checked_ilog2()
        .unwrap_or_default()
}
