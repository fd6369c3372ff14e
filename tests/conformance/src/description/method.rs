//! A method of an API: its parameters, its body and its responses.

use serde_json::Value;

use super::template::Template;

pub(crate) struct Method {
    /// The name in the description.
    pub(crate) id: String,
    /// The HTTP method, in capitals.
    pub(crate) verb: String,
    pub(crate) path: Template,
    /// The parameters in the path, the query and the headers.
    pub(crate) parameters: Vec<Parameter>,
    /// The JSON body. `None` if the method takes none.
    pub(crate) body: Option<Body>,
    /// OAuth scopes, any one of which is enough. `None` if the description names none.
    pub(crate) scopes: Option<Vec<String>>,
    /// The responses by status, `2XX` or `default`.
    pub(crate) responses: Vec<(String, ResponseSchema)>,
}

pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) required: bool,
    /// Whether it may occur several times. Then `schema` describes one value.
    pub(crate) repeated: bool,
    pub(crate) schema: Value,
    /// Set if the value is a field list.
    pub(crate) mask: Option<Mask>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Path,
    Query,
    Header,
}

/// The names that a field list may contain.
pub(crate) enum Mask {
    /// Fields of the response at any depth.
    OfResponse,
    /// These fields.
    Listed(Vec<String>),
    /// Fields that the description doesn't list.
    Unlisted,
}

/// The body of a request.
pub(crate) struct Body {
    /// `None` if any JSON is allowed.
    pub(crate) schema: Option<Value>,
    pub(crate) required: bool,
}

/// The body of a response.
#[derive(Debug, PartialEq)]
pub(crate) enum ResponseSchema {
    /// No body.
    Empty,
    /// The description doesn't say.
    Open,
    /// JSON with this schema.
    Schema(Value),
}

impl Method {
    /// The response for `status`. `None` if the description doesn't have that status.
    pub(crate) fn response(&self, status: u16) -> Option<&ResponseSchema> {
        let (exact, class) = (status.to_string(), format!("{}XX", status / 100));
        [exact.as_str(), class.as_str(), "default"]
            .into_iter()
            .find_map(|expected| {
                self.responses
                    .iter()
                    .find(|(known, _)| known.eq_ignore_ascii_case(expected))
                    .map(|(_, response)| response)
            })
    }

    /// The name in reports: the HTTP method and the path.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.verb, self.path.text())
    }

    /// The parameters in one place.
    pub(crate) fn parameters_in(&self, place: Place) -> impl Iterator<Item = &Parameter> {
        self.parameters
            .iter()
            .filter(move |parameter| parameter.place == place)
    }
}
