//! Tokens with valid and invalid signatures.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, Mac as _};
use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::Sha256;

use super::{Keys, Token, signers::Signer};

fn keys(jwks: &[Value]) -> Keys {
    Keys::read(json!({ "keys": jwks }).to_string().as_bytes()).unwrap()
}

fn check(token: &str, keys: &Keys) -> Result<Value, &'static str> {
    Token::read(token)?.claims(keys)
}

fn each() -> [(&'static str, Signer); 4] {
    [
        ("RS256", Signer::rsa()),
        ("PS256", Signer::rsa()),
        ("ES256", Signer::p256()),
        ("EdDSA", Signer::ed25519(1)),
    ]
}

#[test]
fn a_token_of_each_algorithm_is_valid_only_as_signed() {
    for (alg, signer) in each() {
        let known = keys(&[signer.jwk("k1")]);
        let header = json!({ "alg": alg, "kid": "k1", "typ": "at+jwt" });
        let claims = json!({ "sub": "ada" });
        let token = signer.sign(&header, &claims);
        assert_eq!(check(&token, &known), Ok(claims), "{alg}");
        // Another user's name under the same signature.
        let (head, rest) = token.split_once('.').unwrap();
        let (_, signature) = rest.split_once('.').unwrap();
        let other = URL_SAFE_NO_PAD.encode(json!({ "sub": "eve" }).to_string());
        let forged = format!("{head}.{other}.{signature}");
        assert_eq!(
            check(&forged, &known),
            Err("its signature is wrong"),
            "{alg}"
        );
        let unsigned = format!("{head}.{other}.");
        assert_eq!(check(&unsigned, &known), Err("its signature is wrong"));
        // Another key with the same ID.
        let others = keys(&[Signer::ed25519(9).jwk("k1"), Signer::p256().jwk("k1")]);
        assert!(check(&token, &others).is_err(), "{alg}");
    }
}

/// The examples of RFC 7515, A.3, and RFC 8037, A.4. The signature of the second one is valid, but its content isn't
/// JSON.
#[test]
fn the_examples_of_the_standards_are_good() {
    let es256 = keys(&[json!({
        "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    })]);
    let token = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    assert_eq!(check(token, &es256).unwrap()["iss"], "joe");
    let ed25519 = keys(&[json!({
        "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    })]);
    let token = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    assert_eq!(check(token, &ed25519), Err("its claims can't be read"));
}

#[test]
fn an_unsigned_or_hmac_token_is_refused() {
    let signer = Signer::rsa();
    let known = keys(&[signer.jwk("k1")]);
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let claims = part(&json!({ "sub": "eve" }));
    for none in ["none", "None", "", "HS256", "RS512", "ES256K"] {
        let header = json!({ "alg": none, "kid": "k1" });
        let token = format!("{}.{claims}.", part(&header));
        let why = check(&token, &known).unwrap_err();
        assert!(why.starts_with("it isn't signed with"), "{none}: {why}");
    }
    // The public key as the secret of an HMAC.
    let modulus = signer.jwk("k1")["n"].as_str().unwrap().to_owned();
    let secret = URL_SAFE_NO_PAD.decode(modulus).unwrap();
    let signed = format!("{}.{claims}", part(&json!({ "alg": "HS256", "kid": "k1" })));
    let mut mac = Hmac::<Sha256>::new_from_slice(&secret).unwrap();
    mac.update(signed.as_bytes());
    let token = format!(
        "{signed}.{}",
        URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
    );
    assert!(check(&token, &known).is_err());
}

#[test]
fn a_key_is_for_its_own_algorithm_and_for_signatures() {
    let signer = Signer::rsa();
    let sign = |alg: &str| signer.sign(&json!({ "alg": alg, "kid": "k1" }), &json!({}));
    let with = |member: &str, value: &str| {
        let mut jwk = signer.jwk("k1");
        jwk[member] = json!(value);
        keys(&[jwk])
    };
    const UNKNOWN: Result<Value, &str> = Err("the issuer doesn't publish the key that signed it");
    assert!(check(&sign("PS256"), &with("alg", "PS256")).is_ok());
    assert_eq!(check(&sign("RS256"), &with("alg", "PS256")), UNKNOWN);
    assert_eq!(check(&sign("RS256"), &with("alg", "RSA-OAEP")), UNKNOWN);
    assert_eq!(check(&sign("RS256"), &with("use", "enc")), UNKNOWN);
    assert!(check(&sign("RS256"), &with("use", "sig")).is_ok());
    assert_eq!(check(&sign("RS256"), &with("kid", "k2")), UNKNOWN);
    assert_eq!(
        check(&sign("RS256"), &with("n", "AQAB")),
        Err("its signature is wrong")
    );
}

#[test]
fn a_token_without_a_key_id_needs_a_single_matching_key() {
    let (rsa, ed25519) = (Signer::rsa(), Signer::ed25519(1));
    let token = ed25519.sign(&json!({ "alg": "EdDSA" }), &json!({}));
    assert!(check(&token, &keys(&[rsa.jwk("k1"), ed25519.jwk("k2")])).is_ok());
    let two = keys(&[ed25519.jwk("k1"), Signer::ed25519(2).jwk("k2")]);
    assert!(check(&token, &two).is_err());
}

#[test]
fn types_and_extensions_that_are_not_of_access_are_refused() {
    let signer = Signer::ed25519(1);
    let known = keys(&[signer.jwk("k1")]);
    let check = |header: Value| check(&signer.sign(&header, &json!({})), &known);
    for typ in ["JWT", "jwt", "at+jwt", "application/at+jwt", "AT+JWT"] {
        assert!(
            check(json!({ "alg": "EdDSA", "typ": typ })).is_ok(),
            "{typ}"
        );
    }
    for typ in ["logout+jwt", "dpop+jwt", "secevent+jwt", ""] {
        assert!(
            check(json!({ "alg": "EdDSA", "typ": typ })).is_err(),
            "{typ}"
        );
    }
    assert!(check(json!({ "alg": "EdDSA", "crit": ["b64"], "b64": false })).is_err());
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*", document: Vec<u8>) {
        let known = Keys::read(&document).unwrap_or_default();
        let _ = check(&text, &known);
        let _ = check(&format!("eyJhbGciOiJFZERTQSJ9.{text}"), &known);
    }
}
