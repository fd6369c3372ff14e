//! Reads members of a platform's line by JSON pointer, and collects all faults.

use secrecy::SecretString;
use serde_json::{Map, Value};
use stead::Error;
use stead_core::{
    error::{Violation, Violations},
    resource::AccountWithTokens,
};

/// Members of a token response that are tokens of the account itself.
const TOKENS: [&str; 2] = ["access_token", "refresh_token"];

/// A line, and its faults.
pub(super) struct Fields {
    line: Value,
    wrong: Violations,
}

impl Fields {
    pub(super) fn new(line: Value) -> Self {
        Self {
            line,
            wrong: Violations::default(),
        }
    }

    /// The account, unless there were faults.
    pub(super) fn finish(
        self,
        account: Option<AccountWithTokens>,
    ) -> Result<AccountWithTokens, Error> {
        match account {
            Some(account) if self.wrong.is_empty() => Ok(account),
            _ => Err(Error::invalid(self.wrong.into_list())),
        }
    }

    /// Adds a fault of a member.
    pub(super) fn wrong(&mut self, place: &str, keyword: &str, message: &str) {
        self.wrong.push(Violation::new(place, keyword, message));
    }

    pub(super) fn has(&self, place: &str) -> bool {
        self.line
            .pointer(place)
            .is_some_and(|value| !value.is_null())
    }

    pub(super) fn is_true(&self, place: &str) -> bool {
        self.line.pointer(place) == Some(&Value::Bool(true))
    }

    /// A text that isn't empty.
    pub(super) fn text(&self, place: &str) -> Option<String> {
        let text = self.line.pointer(place)?.as_str()?;
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// A required text.
    pub(super) fn needed(&mut self, place: &str) -> Option<String> {
        let text = self.text(place);
        if text.is_none() {
            self.wrong(place, "required", "expected a non-empty text");
        }
        text
    }

    /// Checks that a member has this text.
    pub(super) fn expect(&mut self, place: &str, expected: &str, otherwise: &str) {
        if self.text(place).as_deref() != Some(expected) {
            self.wrong(place, "const", &format!("expected {expected}: {otherwise}"));
        }
    }

    /// An account with the tokens at `tokens`; `None` if a required member is missing.
    pub(super) fn account(
        &mut self,
        connection: Option<String>,
        identifier: Option<String>,
        tokens: &str,
    ) -> Option<AccountWithTokens> {
        let access_token = self.needed(&format!("{tokens}/access_token"));
        let refresh_token = self.text(&format!("{tokens}/refresh_token"));
        let mut account = AccountWithTokens::new(connection?, identifier?, access_token?);
        account.refresh_token = refresh_token.map(SecretString::from);
        Some(account)
    }

    /// A time, if there is one.
    pub(super) fn time(&mut self, place: &str) -> Option<jiff::Timestamp> {
        let text = self.text(place)?;
        let time = text.parse().ok();
        if time.is_none() {
            self.wrong(place, "format", "expected an RFC 3339 time");
        }
        time
    }

    /// Scopes, as a list or as a text separated by spaces or commas.
    pub(super) fn scopes(&self, place: &str) -> Option<Vec<String>> {
        let separate = |text: &str| -> Vec<String> {
            let parts = text.split([' ', ',']).filter(|part| !part.is_empty());
            parts.map(str::to_owned).collect()
        };
        match self.line.pointer(place)? {
            Value::String(text) => Some(separate(text)),
            Value::Array(list) => {
                let texts = list.iter().filter_map(Value::as_str);
                Some(texts.map(str::to_owned).collect())
            }
            _ => None,
        }
    }

    /// The members of a token response, without the account's tokens.
    pub(super) fn token_response(&self, place: &str) -> Option<Map<String, Value>> {
        let mut members = self.line.pointer(place)?.as_object()?.clone();
        members.retain(|name, _| !TOKENS.contains(&name.as_str()));
        Some(members)
    }
}
