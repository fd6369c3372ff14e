//! Checks the files of `docs/deploy` against the configuration page, each other, and the sources.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::shell;

fn folder() -> PathBuf {
    shell::root().join("docs/deploy")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = folder().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All files, including those in subfolders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => all.push(path),
        }
    }
    all
}

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The names of Stead's variables in a text.
fn variables(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_ascii_uppercase() || c == '_'))
        .filter(|word| word.starts_with("STEAD_"))
        .collect()
}

/// The options on lines that start the service.
fn options(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| line.contains("stead serve") || line.contains("\"serve\""))
        .flat_map(|line| {
            line.split(|c: char| c.is_whitespace() || matches!(c, '"' | ',' | '=' | '`'))
        })
        .filter(|word| word.starts_with("--"))
        .collect()
}

#[test]
fn deployment_files_set_only_existing_settings() {
    let known = fs::read_to_string(shell::root().join("docs/reference/configuration.md")).unwrap();
    let mut found = BTreeSet::new();
    for path in files(&folder()) {
        let text = fs::read_to_string(&path).unwrap();
        for name in variables(&text).into_iter().chain(options(&text)) {
            let is_known = [format!("`{name}`"), format!("`{name} ")]
                .iter()
                .any(|written| known.contains(written));
            assert!(is_known, "{}: {name} does not exist", path.display());
            found.insert(name.to_owned());
        }
    }
    for name in ["--metrics-listen", "STEAD_DATABASE_URL", "STEAD_SPOOL_DIR"] {
        assert!(found.contains(name), "{name} was not compared: {found:?}");
    }
}

#[test]
fn the_image_is_distroless_non_root_and_copies_existing_files() {
    let text = read("Containerfile").replace("\\\n", " ");
    let lines: Vec<(&str, &str)> = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once(' ').unwrap())
        .collect();
    let of = |name: &'static str| {
        let lines = lines.iter().filter(move |line| line.0 == name);
        lines.map(|line| line.1.trim())
    };
    // The base images are arguments, so that an operator can pin their digests.
    let image = |from: &str| {
        let name = from
            .strip_prefix("${")
            .and_then(|rest| rest.split_once('}'));
        let (name, _) = name.unwrap_or_else(|| panic!("{from} is not an argument"));
        let given = of("ARG").find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        given.unwrap_or_else(|| panic!("{name} has no default"))
    };
    let toolchain = fs::read_to_string(shell::root().join("rust-toolchain.toml")).unwrap();
    let version = image(of("FROM").next().unwrap());
    let version = version.split([':', '-']).nth(1).unwrap();
    assert!(
        toolchain.contains(&format!("channel = \"{version}.")),
        "{version}"
    );
    let last = image(of("FROM").next_back().unwrap());
    assert!(
        last.contains("distroless") && last.ends_with(":nonroot"),
        "{last}"
    );
    let user = of("USER").next_back().unwrap().split(':').next().unwrap();
    assert!(user.parse::<u32>().unwrap() > 0, "{user}");
    let mut copied = BTreeSet::new();
    for copy in of("COPY").filter(|copy| !copy.starts_with("--")) {
        let words: Vec<&str> = copy.split_whitespace().collect();
        for from in &words[..words.len() - 1] {
            assert!(shell::root().join(from).exists(), "{from} is not there");
            copied.insert(*from);
        }
    }
    // Cargo needs the manifest of every member.
    for part in ["Cargo.toml", "Cargo.lock", "crates", "tests", "xtask"] {
        assert!(copied.contains(part), "{part} is not copied");
    }
    assert_eq!(of("ENTRYPOINT").next(), Some("[\"/usr/local/bin/stead\"]"));
}

#[test]
fn the_composition_gives_each_server_a_spool_and_the_proxy_knows_them_all() {
    let compose = yaml(&read("compose.yaml"));
    let proxy = read("Caddyfile");
    let services = compose["services"].as_object().unwrap();
    let mut spools = BTreeSet::new();
    for (name, service) in services
        .iter()
        .filter(|(name, _)| name.starts_with("stead-"))
    {
        assert!(proxy.contains(&format!("{name}:8484")), "{name}");
        let volume = service["volumes"][0].as_str().unwrap();
        let (volume, place) = volume.split_once(':').unwrap();
        assert!(read("Containerfile").contains(place), "{place}");
        assert!(compose["volumes"].as_object().unwrap().contains_key(volume));
        spools.insert(volume);
    }
    assert_eq!(spools.len(), 3, "{spools:?}");
    for (name, service) in services {
        let environment = service["environment"].as_object().unwrap();
        assert!(
            !environment.contains_key("STEAD_KEY"),
            "{name}: the key is a file"
        );
        let image = service["image"].as_str().unwrap();
        assert!(
            image == "stead" || image.starts_with("${"),
            "{name}: {image} cannot be pinned"
        );
        let Some(key) = environment.get("STEAD_KEY_FILE") else {
            continue;
        };
        let secret = service["secrets"][0].as_str().unwrap();
        assert_eq!(*key, format!("/run/secrets/{secret}"), "{name}");
        assert!(compose["secrets"][secret]["file"].is_string(), "{secret}");
    }
}

/// The values that a template uses, such as `image.tag`.
fn named_values(text: &str) -> BTreeSet<String> {
    let parts = text.split(".Values.").skip(1);
    let is_in = |letter: char| letter.is_ascii_alphanumeric() || letter == '.';
    parts
        .map(|part| {
            part.split(|letter: char| !is_in(letter))
                .next()
                .unwrap()
                .to_owned()
        })
        .collect()
}

/// The values that exist, except those that a template uses as a whole.
fn leaves(value: &Value, path: &str, all: &mut BTreeSet<String>) {
    match value.as_object().filter(|members| !members.is_empty()) {
        None => {
            all.insert(path.to_owned());
        }
        Some(members) => {
            for (name, member) in members {
                let path = format!("{path}.{name}");
                leaves(member, path.trim_start_matches('.'), all);
            }
        }
    }
}

/// A template after each action is replaced by a word, or by nothing if it only controls the flow.
fn rendered(text: &str) -> String {
    let mut rendered = String::new();
    let mut rest = text;
    while let Some((before, action)) = rest.split_once("{{") {
        let (action, after) = action.split_once("}}").unwrap();
        rendered.push_str(before);
        let action = action.trim_matches(['-', ' ']);
        let first = action.split_whitespace().next().unwrap();
        let is_line = before.rsplit('\n').next().unwrap().trim().is_empty();
        let steers = ["if", "with", "range", "end", "define", "fail"].contains(&first);
        if !(steers || is_line && ["toYaml", "include"].contains(&first)) {
            rendered.push_str("word");
        }
        rest = after;
    }
    rendered + rest
}

#[test]
fn the_chart_uses_existing_values_and_its_templates_are_yaml() {
    assert_eq!(yaml(&read("helm/Chart.yaml"))["name"], "stead");
    let values = yaml(&read("helm/values.yaml"));
    let mut named = BTreeSet::new();
    for path in files(&folder().join("helm/templates")) {
        let text = fs::read_to_string(&path).unwrap();
        named.extend(named_values(&text));
        if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            for document in rendered(&text).split("\n---\n") {
                let document = yaml(document);
                assert!(
                    document["kind"].is_string(),
                    "{}: {document}",
                    path.display()
                );
                assert!(
                    document["metadata"]["name"].is_string(),
                    "{}",
                    path.display()
                );
            }
        }
    }
    for name in &named {
        let pointer = format!("/{}", name.replace('.', "/"));
        assert!(
            values.pointer(&pointer).is_some(),
            "{name} is not in values.yaml"
        );
    }
    let mut there = BTreeSet::new();
    leaves(&values, "", &mut there);
    for name in there {
        let is_named = named
            .iter()
            .any(|named| name == *named || name.starts_with(&format!("{named}.")));
        assert!(is_named, "no template uses {name}");
    }
}

/// An empty list of peers allows everyone, so a template that fills one must fail without peers.
#[test]
fn no_rule_of_the_network_policy_can_allow_everyone() {
    let policy = read("helm/templates/networkpolicy.yaml");
    let lines: Vec<&str> = policy.lines().collect();
    let is_list = |line: &str| {
        ["from:", "to:"]
            .iter()
            .any(|list| line.trim().starts_with(list))
    };
    let filled = lines
        .windows(2)
        .filter(|two| is_list(two[0]))
        .filter_map(|two| {
            let line = two.iter().find(|line| line.contains(".Values."))?;
            line.split(".Values.").nth(1)?.split(' ').next()
        });
    let lists: Vec<&str> = filled.collect();
    assert_eq!(lists, ["metrics.namespaces", "egress.database"]);
    for list in lists {
        let guard = format!("(not .Values.{list})");
        let guard = [guard.as_str(), &guard[1..guard.len() - 1]];
        let (_, after) = guard
            .iter()
            .find_map(|guard| policy.split_once(guard))
            .unwrap();
        let next = after.split("{{").nth(1).unwrap();
        assert!(
            next.trim_start_matches("- ").starts_with("fail "),
            "{list}: {next}"
        );
    }
    for direction in ["Ingress", "Egress"] {
        assert!(policy.contains(direction), "{direction}");
    }
    let values = yaml(&read("helm/values.yaml"));
    assert_eq!(values["trustedProxies"], "", "an example would be trusted");
    assert!(read("helm/templates/statefulset.yaml").contains("{{ required \"trustedProxies"));
}

#[test]
fn rules_and_dashboard_are_complete() {
    let rules = yaml(&read("alerts.yaml"));
    let rules = rules["groups"][0]["rules"].as_array().unwrap();
    let guide = fs::read_to_string(shell::root().join("docs/run/monitoring.md")).unwrap();
    for rule in rules {
        let name = rule["alert"].as_str().unwrap();
        assert!(
            guide.contains(&format!("`{name}`")),
            "{name} is not in the guide"
        );
        for member in ["/expr", "/labels/severity", "/annotations/summary"] {
            assert!(rule.pointer(member).is_some(), "{name} has no {member}");
        }
    }
    let dashboard: Value = serde_json::from_str(&read("grafana.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    assert!(panels.len() > 10);
}
