//! Both layers of keys are replaced for 10,000 accounts while calls continue.
//!
//! The test encrypts the accounts itself, as the description of format 1 says, and not with the library. So it also
//! checks that today's databases stay readable.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305, XNonce,
    aead::{Aead as _, Payload},
};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use sqlx::{Connection as _, Row as _, SqliteConnection};
use stead::{OsEntropy, Platform};
use stead_core::{
    ErrorKind,
    ports::{BoxFuture, KeySource},
    resource::{ActivateKey, AddKey, DataKeyState, KeyActivation, RetireKey},
    seal::KeyRing,
};

use crate::{stage::Stage, tampering::database};

const ACCOUNTS: u128 = 10_000;
const FIRST: &str = "key_00000000000000000000000000000001";
/// The beginning of every secret that a store's first data key has encrypted: format 1 and the ID 1. The ID's last two
/// bits are in the next character, one of E to H. (A wrapped data key has the ID 0, and A to D there.)
const UNDER_THE_FIRST: &[u8] = b"\"AQAAAAAAAAAAAAAAAAAAAA";

/// The data that is authenticated with a secret: each part after its length.
fn bound(table: &str, row: u128, column: &str, generation: u64) -> Vec<u8> {
    let (row, generation) = (row.to_be_bytes(), generation.to_be_bytes());
    let parts: [&[u8]; 5] = [
        b"stead/v1",
        table.as_bytes(),
        &row,
        column.as_bytes(),
        &generation,
    ];
    let lengths = parts.map(|part| (part.len() as u64).to_be_bytes());
    let pairs = lengths.iter().zip(parts);
    pairs
        .flat_map(|(length, part)| length.iter().chain(part).copied())
        .collect()
}

/// Decrypts an envelope: format, ID of the data key, nonce, ciphertext.
fn open(key: &[u8], sealed: &str, bound: &[u8]) -> Vec<u8> {
    let bytes = STANDARD.decode(sealed).unwrap();
    let payload = Payload {
        msg: &bytes[41..],
        aad: bound,
    };
    let nonce = XNonce::from(<[u8; 24]>::try_from(&bytes[17..41]).unwrap());
    let cipher = XChaCha20Poly1305::new_from_slice(key).unwrap();
    cipher.decrypt(&nonce, payload).unwrap()
}

fn seal(key: &[u8], number: u128, text: &[u8], bound: &[u8]) -> String {
    let mut bytes = vec![1];
    bytes.extend(1_u128.to_be_bytes());
    let mut nonce = [7; 24];
    nonce[..16].copy_from_slice(&number.to_be_bytes());
    bytes.extend(nonce);
    let cipher = XChaCha20Poly1305::new_from_slice(key).unwrap();
    let payload = Payload {
        msg: text,
        aad: bound,
    };
    bytes.extend(cipher.encrypt(&XNonce::from(nonce), payload).unwrap());
    STANDARD.encode(bytes)
}

async fn body(database: &mut SqliteConnection, query: &'static str) -> Value {
    let row = sqlx::query(query).fetch_one(database).await.unwrap();
    serde_json::from_str(row.get(0)).unwrap()
}

/// The number that an ID contains in hexadecimal digits.
fn number(id: &Value) -> u128 {
    let (_, digits) = id.as_str().unwrap().split_once('_').unwrap();
    u128::from_str_radix(digits, 16).unwrap()
}

/// Adds all other accounts, each with the tokens of the existing one.
async fn fill(stage: &Stage) {
    let mut database = database(stage).await;
    let (ring_key, master) = stage.key.split_once(':').unwrap();
    let master = URL_SAFE_NO_PAD.decode(master).unwrap();
    let data_key = body(&mut database, "SELECT body FROM data_key").await;
    let wrapped = data_key["wrapped"].as_str().unwrap();
    let since = data_key["authenticates_rows_since"].as_str().unwrap();
    let since = since.parse::<jiff::Timestamp>().unwrap().as_nanosecond();
    let since = u64::try_from(since).unwrap();
    let data_key = open(&master, wrapped, &bound("data_key", 1, ring_key, since));
    let account = body(&mut database, "SELECT body FROM account").await;
    let credential = body(&mut database, "SELECT body FROM credential WHERE live = 1").await;
    let owner = |account: &Value| {
        let text = |member: &str| account[member].as_str().unwrap().to_owned();
        format!("{}/{}", text("connection_id"), text("identifier"))
    };
    let generation = credential["generation"].as_u64().unwrap();
    let place = bound(
        "credential",
        number(&account["id"]),
        &owner(&account),
        generation,
    );
    let tokens = open(&data_key, credential["sealed"].as_str().unwrap(), &place);
    let mut transaction = database.begin().await.unwrap();
    for number in 0..ACCOUNTS {
        let (mut account, mut credential) = (account.clone(), credential.clone());
        let id = format!("acct_{number:032x}");
        account["id"] = json!(id);
        account["identifier"] = json!(user(number));
        let place = bound("credential", number, &owner(&account), generation);
        credential["account_id"] = json!(id);
        credential["sealed"] = json!(seal(&data_key, number, &tokens, &place));
        sqlx::query("INSERT INTO account (id, connection_id, identifier, state, version, body) VALUES ($1, $2, $3, $4, 1, $5)")
            .bind(&id)
            .bind(account["connection_id"].as_str())
            .bind(user(number))
            .bind(account["state"].as_str())
            .bind(account.to_string())
            .execute(&mut *transaction)
            .await
            .unwrap();
        sqlx::query("INSERT INTO credential (account_id, generation, live, created_at, version, body) SELECT $1, generation, live, created_at, 1, $2 FROM credential WHERE live = 1 LIMIT 1")
            .bind(&id)
            .bind(credential.to_string())
            .execute(&mut *transaction)
            .await
            .unwrap();
    }
    transaction.commit().await.unwrap();
}

fn user(number: u128) -> String {
    format!("user-of-many-{number}")
}

async fn drafts(platform: &Platform, number: u128) -> stead::Result<()> {
    let actions = platform.actions();
    let drafts = actions.execute_tool("mail_list_drafts", "mail", &user(number), json!({}));
    drafts.await.map(drop)
}

/// A service's key file, as the operator wrote it.
struct File(String);

impl KeySource for File {
    fn read(&self) -> BoxFuture<'_, stead::Result<SecretString>> {
        Box::pin(std::future::ready(Ok(self.0.clone().into())))
    }
}

async fn opened(
    stage: &Stage,
    database: &Path,
    ring: &str,
    file: Option<File>,
) -> stead::Result<Platform> {
    let mut builder = Platform::builder(&stage.url)
        .key(ring)
        .sqlite(database)
        .gateway(&stage.sandbox.url);
    if let Some(file) = file {
        builder = builder.key_source(Arc::new(file));
    }
    builder.build().await
}

fn occurrences(path: &Path) -> usize {
    let bytes = std::fs::read(path).unwrap_or_default();
    let windows = bytes.windows(UNDER_THE_FIRST.len() + 1);
    let is_sealed = |window: &&[u8]| {
        let (behind, begin) = window.split_last().unwrap();
        begin == UNDER_THE_FIRST && (b'E'..=b'H').contains(behind)
    };
    windows.filter(is_sealed).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keys_of_ten_thousand_accounts_are_replaced_while_calls_continue() {
    let stage = Stage::connected().await;
    fill(&stage).await;
    stage.platform.shut_down().await;
    let backup = stage.database.with_extension("backup");
    stead::store::backup(&stage.database, &backup)
        .await
        .unwrap();

    let old = stage.key.clone();
    let new = KeyRing::generate(&OsEntropy).1.expose_secret().to_owned();
    let both = format!("{new}\n{old}");
    let file = Some(File(both.clone()));
    let service = opened(&stage, &stage.database, &old, file).await.unwrap();
    let (over, calls) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let failed = Arc::new(Mutex::new(Vec::new()));
    let callers: Vec<_> = (0..4_u128)
        .map(|caller| {
            let (service, over, calls) = (service.clone(), Arc::clone(&over), Arc::clone(&calls));
            let failed = Arc::clone(&failed);
            tokio::spawn(async move {
                let mut number = caller * 2_500;
                while !over.load(Ordering::SeqCst) {
                    if let Err(error) = drafts(&service, number % ACCOUNTS).await {
                        failed.lock().unwrap().push(error.to_string());
                    }
                    calls.fetch_add(1, Ordering::SeqCst);
                    number += 7;
                }
            })
        })
        .collect();

    let operator = opened(&stage, &stage.database, &both, None).await.unwrap();
    let keys = operator.environment();
    let added = keys.send(AddKey::new()).await.unwrap().key_id;
    keys.send(ActivateKey::new(
        &added,
        KeyActivation::default().at_once(true),
    ))
    .await
    .unwrap();
    let last = keys.reencrypt(|_| {}).await.unwrap();
    assert_eq!((last.left, last.failed.len()), (0, 0));
    assert!(u128::from(last.done) > ACCOUNTS, "{last:?}");
    let retired = keys.send(RetireKey::new(FIRST)).await.unwrap();
    assert_eq!(retired.state, DataKeyState::Retired);
    for number in 0..20 {
        drafts(&service, number * 499).await.unwrap();
    }
    over.store(true, Ordering::SeqCst);
    for caller in callers {
        caller.await.unwrap();
    }
    assert_eq!(*failed.lock().unwrap(), Vec::<String>::new());
    assert!(calls.load(Ordering::SeqCst) >= 4, "{calls:?}");
    service.shut_down().await;
    operator.shut_down().await;

    // The files contain no secret under the old key, and the old key can't open the database.
    let log = stage.database.with_extension("db-wal");
    assert_eq!((occurrences(&stage.database), occurrences(&log)), (0, 0));
    let error = opened(&stage, &stage.database, &old, None)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyUnavailable);
    let again = opened(&stage, &stage.database, &new, None).await.unwrap();
    drafts(&again, ACCOUNTS - 1).await.unwrap();
    // The old key still opens the backup.
    assert!(occurrences(&backup) > 10_000);
    let restored = opened(&stage, &backup, &old, None).await.unwrap();
    drafts(&restored, ACCOUNTS - 1).await.unwrap();
}
