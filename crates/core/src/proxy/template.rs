//! The path of a raw request in the history: only words of the product's API, and nothing about a user.

use crate::product::ProxyRules;

/// Replaces everything except the API's own words.
const ID: &str = "{id}";
/// Maximum length of a template in bytes. No API has such long paths.
const LONGEST: usize = 200;

/// A path without its query, with `{id}` instead of IDs, names and addresses.
pub(crate) fn template(rules: &ProxyRules, path_and_query: &str) -> String {
    let path = path_and_query.split('?').next().unwrap_or_default();
    let is_word = |text: &str| rules.path_words.split(' ').any(|word| word == text);
    let word_or_id = |text| if is_word(text) { text } else { ID };
    let mut template = String::new();
    for segment in path.split('/').skip(1) {
        let before = template.len();
        template.push('/');
        match segment.rsplit_once(':').filter(|(_, verb)| is_word(verb)) {
            Some((object, verb)) => {
                template.push_str(word_or_id(object));
                template.push(':');
                template.push_str(verb);
            }
            None => template.push_str(word_or_id(segment)),
        }
        if template.len() > LONGEST {
            template.truncate(before);
            break;
        }
    }
    template
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: ProxyRules = ProxyRules {
        path_words: "append createContact messages people send users v1 values",
        ..ProxyRules::BASE
    };

    #[test]
    fn a_template_has_the_words_of_the_api_and_nothing_else() {
        for (path, expected) in [
            (
                "/v1/users/ada@example.com/messages/send",
                "/v1/users/{id}/messages/send",
            ),
            (
                "/v1/users/me/messages?q=from:grace",
                "/v1/users/{id}/messages",
            ),
            ("/v1/values/Plan!A1:B8", "/v1/values/{id}"),
            ("/v1/values/Ada!A1:append", "/v1/values/{id}:append"),
            ("/v1/people:createContact", "/v1/people:createContact"),
            ("/v1/Users/m%65ssages/ada/", "/v1/{id}/{id}/{id}/{id}"),
        ] {
            assert_eq!(template(&RULES, path), expected);
        }
        let long = template(&RULES, &"/ada".repeat(500));
        assert_eq!(long, "/{id}".repeat(40));
    }
}
