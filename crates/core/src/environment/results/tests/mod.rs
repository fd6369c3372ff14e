//! Reads omitted parts of results by their handles.

mod refused;
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use jiff::SignedDuration;
use schemars::JsonSchema;
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{super::Verification, *};
use crate::{
    ErrorKind,
    caller::{Caller, Connections},
    identifier::ConnectionName,
    product::{Product, Rotation},
    resource::{
        ActivateKey, AddKey, ByteRange, ExecuteRequest, Execution, KeyActivation, NewAppCredential,
        NewMcpSession, Policy,
    },
    results::View,
    state::AccountState,
    store::{List, MemoryStore, Store as _, TABLES},
    testing::{
        ReadNote, Responses, World, demo, executions, insert_account, insert_account_of, response,
    },
    tool::{
        ApiRequest, Call, Effect, Io, Output, Readable, ReadableView, Tool, ToolEntry, Whole,
        shortened, text_of,
    },
};

/// Read a letter.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadLetter {
    /// Letter to read.
    letter_id: String,
}

/// A letter in short: the beginning of its text, and its picture by name.
#[derive(Debug, Serialize, JsonSchema)]
struct LetterView {
    /// Beginning of the text.
    text: Option<String>,
    /// Bytes of the whole text.
    #[serde(skip)]
    size: Option<usize>,
    /// Whether there is a picture.
    #[serde(skip)]
    has_picture: bool,
}

impl Readable for LetterView {
    const UNTRUSTED: &'static [&'static str] = &["text"];

    fn of(result: Value) -> Self {
        let whole = text_of(&result["text"]).unwrap_or_default();
        let size = whole.len();
        let (text, is_cut) = shortened(whole, 100);
        Self {
            text: Some(text),
            size: is_cut.then_some(size),
            has_picture: result["picture"].is_string(),
        }
    }

    fn wholes(&self) -> Vec<Whole> {
        let text = self.size.map(|size| Whole::text("/text", "/text", size));
        let name = Some(String::from("über.png"));
        let picture = || Whole::file("/picture", name, String::from("image/png"), None);
        let picture = self.has_picture.then(picture);
        text.into_iter().chain(picture).collect()
    }
}

impl Tool for ReadLetter {
    const NAME: &'static str = "demo_read_letter";
    const EFFECT: Effect = Effect::Read;
    const READABLE: Option<ReadableView> = ReadableView::some::<LetterView>();
    type Output = Value;

    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let request = ApiRequest::get(["letters", &self.letter_id]);
        Ok(io.send(request).await?.into())
    }
}

/// Write a letter.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WriteLetter {}

impl Tool for WriteLetter {
    const NAME: &'static str = "demo_write_letter";
    const EFFECT: Effect = Effect::Write;
    const READABLE: Option<ReadableView> = ReadableView::some::<LetterView>();
    type Output = Value;

    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        Ok(io.send(ApiRequest::post(["letters"])).await?.into())
    }
}

static DEMO: Product = Product {
    tools: const {
        &[
            ToolEntry::of::<ReadNote>(),
            ToolEntry::of::<ReadLetter>(),
            ToolEntry::of::<WriteLetter>(),
        ]
    },
    ..demo(Rotation::Stable)
};

const READ: &str = "demo_read_letter";

/// An environment with the accounts `ada` of the connections `demo` and `other`, and a product with one letter.
struct Stage {
    world: World,
    environment: Environment,
    store: Arc<MemoryStore>,
    letter: Arc<Mutex<Value>>,
    sent: Arc<AtomicUsize>,
}

impl Stage {
    fn new(letter: Value) -> Self {
        Self::in_world(&World::new(), letter)
    }

    fn in_world(world: &World, letter: Value) -> Self {
        let letter = Arc::new(Mutex::new(letter));
        let sent = Arc::new(AtomicUsize::new(0));
        let (body, count) = (Arc::clone(&letter), Arc::clone(&sent));
        let transport = Responses::by(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            let body = body.lock().unwrap().to_string();
            std::future::ready(Ok(response(200, body)))
        });
        let store = world.store();
        let context = world.configured(&store, &DEMO, transport, |options| {
            options.verification = Verification::LinkPossession;
        });
        let environment = Environment(context.unwrap());
        world.run(async {
            insert_account(&environment.0, AccountState::Active).await;
            insert_account_of(&environment.0, "other", "demo", AccountState::Active).await;
        });
        Self {
            world: world.clone(),
            environment,
            store,
            letter,
            sent,
        }
    }

    fn sent(&self) -> usize {
        self.sent.load(Ordering::SeqCst)
    }

    fn called(&self, tool: &str, change: impl FnOnce(&mut ExecuteRequest)) -> Execution {
        let input = match tool {
            READ => json!({ "letter_id": "1" }),
            _ => json!({}),
        };
        let mut request = ExecuteRequest::new("demo", "ada", input);
        change(&mut request);
        self.world.ok(self.environment.execute(tool, request))
    }

    /// The only handle of the letter in its readable view.
    fn handle(&self) -> String {
        let execution = self.called(READ, |request| request.result.view = View::Readable);
        assert_eq!(execution.left_out.len(), 1, "{:?}", execution.left_out);
        execution.left_out[0].handle.clone()
    }

    fn read(&self, handle: &str) -> Result<ResultFile> {
        self.world.run(self.environment.read_result(handle))
    }

    /// Why a caller can't read a handle. Checks that no request reaches the product.
    fn refused(&self, caller: &Environment, handle: &str) -> (ErrorKind, String) {
        let before = self.sent();
        let error = self.world.err(caller.read_result(handle));
        assert_eq!(self.sent(), before, "a request was sent: {error}");
        (error.kind(), error.message().to_owned())
    }

    fn session(&self, new: NewMcpSession) -> Environment {
        let environment = &self.environment;
        let made = self.world.ok(environment.send(new));
        let bearer = made.token.expose_secret();
        let caller = self.world.ok(environment.authenticate(bearer));
        environment.acting_as(caller)
    }
}

fn long() -> String {
    let lines = (0..2_000).map(|line| format!("Zeile {line} über Ada\n"));
    lines.collect()
}

#[test]
fn a_truncated_text_is_read_as_a_whole_and_in_pieces() {
    let stage = Stage::new(json!({ "text": long() }));
    let execution = stage.called(READ, |request| request.result.view = View::Readable);
    let [left_out] = execution.left_out.as_slice() else {
        panic!("{execution:?}");
    };
    assert_eq!(left_out.path, "text");
    assert_eq!(left_out.media_type, "text/plain");
    assert_eq!(left_out.size, Some(long().len() as u64));
    assert!(left_out.handle.len() < 500, "{}", left_out.handle.len());
    assert_eq!(execution.warnings.len(), 1);
    let said = &execution.warnings[0];
    assert_eq!(said.code, "left_out");
    let expected = format!("read all of text (text/plain, {} bytes)", long().len());
    assert!(said.message.starts_with(&expected), "{}", said.message);

    let file = stage.read(&left_out.handle).unwrap();
    assert_eq!(file.text(), Some(long().as_str()));
    assert_eq!(file.media_type, "text/plain; charset=utf-8");
    assert_eq!(file.size, long().len() as u64);
    assert_eq!(file.name, None);
    let mut pieces = Vec::new();
    while (pieces.len() as u64) < file.size {
        let first = pieces.len() as u64;
        let range = ByteRange::From(first, Some(first + 6_999));
        let piece = stage.read(&left_out.handle).unwrap();
        assert_eq!(piece.etag, file.etag);
        pieces.extend_from_slice(&piece.range(range).unwrap().content);
    }
    assert_eq!(String::from_utf8(pieces).unwrap(), long());

    // Stead reads the product's current content, and the ETag shows that it changed.
    *stage.letter.lock().unwrap() = json!({ "text": "short" });
    let changed = stage.read(&left_out.handle).unwrap();
    assert_eq!(changed.text(), Some("short"));
    assert_ne!(changed.etag, file.etag);
    *stage.letter.lock().unwrap() = json!({});
    let gone = stage.read(&left_out.handle).unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
    assert!(gone.execution_id().is_some());
}

#[test]
fn the_content_of_a_file_is_decoded() {
    let bytes: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    for text in [
        STANDARD.encode(&bytes),
        STANDARD.encode(&bytes).replace('+', "-").replace('/', "_"),
        STANDARD.encode(&bytes).trim_end_matches('=').to_owned(),
    ] {
        let stage = Stage::new(json!({ "text": "", "picture": text }));
        let file = stage.read(&stage.handle()).unwrap();
        assert_eq!(file.content, bytes);
        assert_eq!(file.media_type, "image/png");
        assert_eq!(file.name.as_deref(), Some("über.png"));
        assert_eq!(file.text(), None);
    }
}

#[test]
fn values_cut_by_max_bytes_have_handles_and_the_largest_comes_first() {
    let notes: Vec<Value> = (0..50).map(|n| json!({ "note": n, "say": "hm" })).collect();
    let texts: Vec<String> = (0..9).map(|n| "so it is ".repeat(500 + n)).collect();
    let letter = json!({ "a/b": texts, "notes": notes, "last": { "text": long() } });
    let stage = Stage::new(letter.clone());
    let execution = stage.called(READ, |request| request.result.max_bytes = Some(2_500));
    let left_out = &execution.left_out;
    let paths: Vec<&str> = left_out.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(paths.len(), 5, "{paths:?}");
    assert_eq!(paths[..2], ["last.text", "a/b"]);
    assert_eq!(left_out[1].media_type, "application/json");
    for one in left_out {
        let file = stage.read(&one.handle).unwrap();
        assert_eq!(Some(file.size), one.size, "{}", one.path);
    }
    let list = stage.read(&left_out[1].handle).unwrap();
    assert_eq!(list.media_type, "application/json");
    let list: Value = serde_json::from_slice(&list.content).unwrap();
    assert_eq!(list, letter["a/b"]);
    let text = stage.read(&left_out[0].handle).unwrap();
    assert_eq!(text.text(), Some(long().as_str()));
}

#[test]
fn a_text_cut_by_view_and_max_bytes_is_read_whole() {
    let stage = Stage::new(json!({ "text": long() }));
    let execution = stage.called(READ, |request| {
        request.result.view = View::Readable;
        request.result.fields = vec![String::from("text")];
        request.result.max_bytes = Some(80);
    });
    let [left_out] = execution.left_out.as_slice() else {
        panic!("{execution:?}");
    };
    let file = stage.read(&left_out.handle).unwrap();
    assert_eq!(file.text(), Some(long().as_str()));
    let without = stage.called(READ, |request| {
        request.result.view = View::Readable;
        request.result.fields = vec![String::from("other")];
    });
    assert!(without.left_out.is_empty());
}

#[test]
fn only_results_of_reading_that_were_cut_have_handles() {
    let stage = Stage::new(json!({ "text": long() }));
    let full = stage.called(READ, |_| {});
    assert_eq!((full.left_out.len(), full.warnings.len()), (0, 0));
    let text = stage.letter.lock().unwrap().to_string();
    assert_eq!(full.data.get(), text);
    let fits = stage.called(READ, |request| request.result.max_bytes = Some(1_000_000));
    assert_eq!((fits.left_out.len(), fits.warnings.len()), (0, 0));
    let dry = stage.called(READ, |request| {
        request.dry_run = true;
        request.result.view = View::Readable;
    });
    assert!(dry.left_out.is_empty());
    let written = stage.called("demo_write_letter", |request| {
        request.result.view = View::Readable;
    });
    assert!(written.left_out.is_empty());
    let written = written.json::<Value>().unwrap();
    assert!(written["text"].as_str().unwrap().len() <= 100);
}

#[test]
fn an_input_too_large_for_a_handle_is_a_warning() {
    let stage = Stage::new(json!({ "text": long() }));
    for (length, fits) in [(2_000, true), (3_500, false), (10_000, false)] {
        let execution = stage.called(READ, |request| {
            request.input = json!({ "letter_id": "i".repeat(length) });
            request.result.view = View::Readable;
        });
        assert_eq!(execution.left_out.len(), usize::from(fits), "{length}");
        let code = if fits { "left_out" } else { "no_handle" };
        assert_eq!(execution.warnings[0].code, code, "{length}");
    }
}

#[test]
fn nothing_is_stored_but_the_record_of_each_call() {
    let stage = Stage::new(json!({ "text": long() }));
    let rows = || -> Vec<String> {
        let history = ["call", "call_name", "call_total", "history_size"];
        let all = TABLES.iter();
        let all = all.filter(|table| !history.contains(&table.name));
        let lists = all.flat_map(|table| {
            let list = List::new(table, table.key);
            stage.world.ok(stage.store.list(&list))
        });
        let rows = lists.map(|found| format!("{} {:?}", found.version, found.row));
        rows.collect()
    };
    let before = rows();
    let handle = stage.handle();
    stage.read(&handle).unwrap();
    stage.refused(&stage.environment, "file_AAAA");
    stage.world.advance(Duration::from_secs(1));
    let records = stage.world.run(executions(&stage.environment.0));
    assert_eq!(records.len(), 2);
    for record in &records {
        assert_eq!((&*record.tool, record.requests), (READ, 1));
    }
    assert_eq!(rows(), before);
}

#[test]
fn a_handle_of_a_previous_data_key_works_while_the_key_exists() {
    let stage = Stage::new(json!({ "text": long() }));
    let former = stage.handle();
    let key = stage.world.ok(stage.environment.send(AddKey::new()));
    let at_once = KeyActivation::default().at_once(true);
    let activated = stage
        .environment
        .send(ActivateKey::new(&key.key_id, at_once));
    stage.world.ok(activated);
    let newer = stage.handle();
    assert_ne!(former[..20], newer[..20]);
    for handle in [&former, &newer] {
        assert_eq!(stage.read(handle).unwrap().size, long().len() as u64);
    }
}
