//! A method of an API: what it takes and what it responses.

use serde_json::Value;

use super::template::Template;

/// One operation.
pub(crate) struct Method {
    /// Name in the description.
    pub(crate) id: String,
    /// HTTP method, in capitals.
    pub(crate) verb: String,
    pub(crate) path: Template,
    /// In the path, the query and the headers.
    pub(crate) parameters: Vec<Parameter>,
    /// The JSON body that it takes; nothing where it takes none.
    pub(crate) body: Option<Body>,
    /// OAuth scopes, any one of which suffices; nothing where the description names none.
    pub(crate) scopes: Option<Vec<String>>,
    /// By status, `2XX` or `default`.
    pub(crate) responses: Vec<(String, ResponseSchema)>,
}

/// A parameter.
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) required: bool,
    /// May come several times; `schema` is that of one.
    pub(crate) repeated: bool,
    pub(crate) schema: Value,
    /// Set where the value names fields.
    pub(crate) mask: Option<Mask>,
}

/// Where a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Path,
    Query,
    Header,
}

/// What a list of fields may name.
pub(crate) enum Mask {
    /// Fields of the response, at any depth.
    OfResponse,
    /// Fields that the description lists.
    Listed(Vec<String>),
    /// Fields that the description does not list.
    Unlisted,
}

/// A request's body.
pub(crate) struct Body {
    /// Nothing where any JSON will do.
    pub(crate) schema: Option<Value>,
    pub(crate) required: bool,
}

/// A response's body.
#[derive(Debug, PartialEq)]
pub(crate) enum ResponseSchema {
    /// There is none.
    Empty,
    /// The description does not say.
    Open,
    /// JSON of this schema.
    Schema(Value),
}

impl Method {
    /// What is answered with `status`; nothing where the description does not know the status.
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

    /// Name in reports: verb and path.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.verb, self.path.text())
    }

    /// The parameters of one place.
    pub(crate) fn parameters_in(&self, place: Place) -> impl Iterator<Item = &Parameter> {
        self.parameters
            .iter()
            .filter(move |parameter| parameter.place == place)
    }
}
