//! The image and the example for Kubernetes: these tests read them and run their command line.

use std::fs;
use std::path::{Path, PathBuf};

use saphyr_parser::{Event, Parser};
use toolglot_value::{Map, Value};

use super::gateway::Gateway;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("a file of the repository")
}

/// The documents of a YAML text. All scalars are strings.
fn documents(text: &str) -> Vec<Value> {
    let mut documents = Vec::new();
    let mut events = Parser::new_from_str(text).map(|event| event.expect("YAML").0);
    while let Some(event) = events.next() {
        if matches!(event, Event::DocumentStart(..)) {
            let first = events.next().expect("a value");
            documents.push(value(first, &mut events));
        }
    }
    documents
}

fn value<'t>(event: Event<'t>, events: &mut impl Iterator<Item = Event<'t>>) -> Value {
    match event {
        Event::Scalar(text, ..) => Value::String(text.into_owned()),
        Event::SequenceStart(..) => {
            let mut list = Vec::new();
            loop {
                match events.next().expect("an end") {
                    Event::SequenceEnd => return Value::Array(list),
                    event => list.push(value(event, events)),
                }
            }
        }
        Event::MappingStart(..) => {
            let mut map = Map::new();
            loop {
                match events.next().expect("an end") {
                    Event::MappingEnd => return Value::Object(map),
                    Event::Scalar(key, ..) => {
                        let event = events.next().expect("a value");
                        let before = map.insert(key.to_string(), value(event, events));
                        assert_eq!(before, None, "{key} stands twice");
                    }
                    event => panic!("no key: {event:?}"),
                }
            }
        }
        event => panic!("no value: {event:?}"),
    }
}

/// The instructions of a Dockerfile and their arguments.
fn instructions(text: &str) -> Vec<(&str, &str)> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| line.split_once(' ').expect("an argument"))
        .collect()
}

/// The arguments of the image's entry point, without `toolglot serve`.
fn entry_point() -> Vec<String> {
    let file = text("Dockerfile");
    let all = instructions(&file);
    let entry = all.iter().find(|(name, _)| *name == "ENTRYPOINT");
    let words = toolglot_value::from_str(entry.expect("an entry point").1).expect("JSON");
    let words = words.as_array().expect("a list").iter();
    let words: Vec<String> = words
        .map(|word| word.as_str().expect("text").to_owned())
        .collect();
    assert_eq!(words[..2], ["/usr/local/bin/toolglot", "serve"]);
    words[2..].to_vec()
}

#[test]
fn the_image_is_built_as_the_workspace_says() {
    const KNOWN: [&str; 7] = [
        "FROM",
        "WORKDIR",
        "COPY",
        "RUN",
        "USER",
        "EXPOSE",
        "ENTRYPOINT",
    ];
    let file = text("Dockerfile");
    let all = instructions(&file);
    for (name, _) in &all {
        assert!(KNOWN.contains(name), "{name}");
    }
    let manifest: toml::Table = text("Cargo.toml").parse().expect("TOML");
    let rust = &manifest["workspace"]["package"]["rust-version"];
    let builder = format!(
        "rust:{}-slim-bookworm AS build",
        rust.as_str().expect("text")
    );
    assert_eq!(all[0], ("FROM", builder.as_str()));
    let last = all
        .iter()
        .rposition(|(name, _)| *name == "FROM")
        .expect("an image");
    let user = all[last..].iter().find(|(name, _)| *name == "USER");
    assert_eq!(user, Some(&("USER", "65532:65532")), "not root");
    let listen = entry_point();
    assert_eq!(listen, ["--listen", "0.0.0.0:8080"]);
    assert!(all.contains(&("EXPOSE", "8080")));
}

#[test]
fn the_example_for_kubernetes_fits_together_and_runs() {
    let all = documents(&text("examples/kubernetes/gateway.yaml"));
    let of_kind = |kind: &str| {
        let mut found = all.iter().filter(|one| one["kind"] == kind);
        let one = found.next().unwrap_or_else(|| panic!("no {kind}"));
        assert!(found.next().is_none());
        one
    };
    let deployment = &of_kind("Deployment")["spec"];
    let pod = &deployment["template"];
    let labels = &pod["metadata"]["labels"];
    assert_eq!(deployment["selector"]["matchLabels"], *labels);
    let service = of_kind("Service");
    assert_eq!(service["spec"]["selector"], *labels);
    let replicas = deployment["replicas"].as_str().and_then(|n| n.parse().ok());
    assert!(replicas.is_some_and(|n: u32| n >= 2));
    let container = &pod["spec"]["containers"][0];
    let port = &container["ports"][0];
    assert_eq!(port["containerPort"], "8080");
    assert_eq!(service["spec"]["ports"][0]["targetPort"], port["name"]);
    for probe in ["readinessProbe", "livenessProbe"] {
        let probe = &container[probe]["httpGet"];
        assert_eq!(
            (&probe["path"], &probe["port"]),
            (&Value::from("/healthz"), &port["name"])
        );
    }

    // The command line with the files of the example, at a port of this machine.
    let folder = tempfile::tempdir().expect("a directory");
    let mut arguments: Vec<String> = container["args"]
        .as_array()
        .expect("arguments")
        .iter()
        .map(|word| word.as_str().expect("text").to_owned())
        .collect();
    let volumes = pod["spec"]["volumes"].as_array().expect("volumes");
    for mount in container["volumeMounts"].as_array().expect("mounts") {
        let volume = volumes
            .iter()
            .find(|volume| volume["name"] == mount["name"]);
        let volume = volume.expect("a volume of that name");
        let files = if volume.get("secret").is_some() {
            let secret = of_kind("Secret");
            assert_eq!(volume["secret"]["secretName"], secret["metadata"]["name"]);
            &secret["stringData"]
        } else {
            let map = of_kind("ConfigMap");
            assert_eq!(volume["configMap"]["name"], map["metadata"]["name"]);
            &map["data"]
        };
        let place = mount["mountPath"].as_str().expect("a path");
        for (name, text) in files.as_object().expect("files") {
            let file = folder.path().join(name);
            fs::write(&file, text.as_str().expect("text")).expect("a file");
            let inside = format!("{place}/{name}");
            let argument = arguments.iter_mut().find(|argument| **argument == inside);
            let argument = argument.unwrap_or_else(|| panic!("nothing reads {inside}"));
            *argument = file.to_str().expect("UTF-8").to_owned();
        }
    }
    let names = [&service["metadata"]["name"]];
    assert!(
        names
            .iter()
            .all(|name| arguments.iter().any(|have| *name == have.as_str()))
    );
    let at = arguments.iter().position(|word| word == "--upstream");
    let upstream = arguments.remove(at.expect("an upstream") + 1);
    arguments.retain(|word| word != "--upstream");
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let gateway = Gateway::start(&upstream, &words, &[]);
    gateway.signal("TERM");
    let (code, log) = gateway.ended();
    assert_eq!(code, Some(0), "{log}");
}
