//! Registry and trust, on a disk.

mod left_out;
mod lock;
mod revoked;
mod rollback;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolglot_tool_files::{ItemId, Language, ToolFile, new_tool};
use toolglot_tool_registry::{FindError, Registry, ToolSource};
use toolglot_tool_signature::{
    Generation, Header, Keyring, PrivateKey, PublicKey, Signer, Style, sign as sign_text,
    verify as verify_text,
};
use toolglot_tool_trust::{Space, Spaces, Trust, TrustBasis, TrustError};

const TIME: &str = "2026-02-23T05:24:41Z";

struct World {
    _keep: TempDir,
    project: PathBuf,
    home: PathBuf,
}

impl World {
    fn new() -> World {
        let keep = tempfile::tempdir().expect("room for a folder");
        let whole = fs::canonicalize(keep.path()).expect("it is there");
        let world = World {
            _keep: keep,
            project: whole.join("project"),
            home: whole.join("home"),
        };
        fs::create_dir_all(world.project.join(".ai/tools")).expect("a folder");
        fs::create_dir_all(world.home.join(".ai/tools")).expect("a folder");
        world
    }

    fn spaces(&self) -> Spaces {
        Spaces {
            project: Some(self.project.clone()),
            user: Some(self.home.clone()),
        }
    }

    fn registry(&self) -> Registry {
        Registry::open(&self.spaces()).expect("it can be opened")
    }

    fn trust(&self) -> Trust {
        Trust::open(&self.spaces()).expect("it can be opened")
    }

    fn found(&self, id: &str) -> ToolSource {
        self.registry().find(&item(id)).expect(id)
    }

    /// The word for why a tool may run, or why it may not.
    fn standing(&self, id: &str) -> String {
        let found = self.found(id);
        let version = found.tool().metadata.version.clone();
        match self.trust().standing(&found, version.as_deref()) {
            Ok(standing) => standing.word().to_owned(),
            Err(refusal) => refusal.code().to_owned(),
        }
    }

    /// Signs a tool of the project as `toolglot tools sign` does.
    fn sign(&self, id: &str, v2: bool) {
        self.sign_at(id, v2, TIME);
    }

    fn sign_at(&self, id: &str, v2: bool, time: &str) {
        let mut trust = self.trust();
        let key = trust.private_key().expect("there is a key");
        let found = self.found(id);
        let version = found.tool().metadata.version.clone().expect("a version");
        let style = found.language.signature_style();
        let binding = v2.then_some((id, version.as_str()));
        let signed = sign_text(found.text(), style, &key, time, binding);
        let found = found.with_text(signed);
        fs::write(found.path.as_ref().expect("a file"), found.text()).expect("a file");
        trust
            .signed(&[(&found, &version)])
            .expect("a lock and a ledger");
    }
}

fn item(id: &str) -> ItemId {
    ItemId::new(id).expect(id)
}

/// The keyring of a user who trusts only this key.
fn mine(key: &PrivateKey) -> Keyring {
    let mut keys = Keyring::default();
    keys.add(Signer {
        key: key.public(),
        owner: "me".into(),
        revoked: None,
    });
    keys
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

fn tool(version: &str) -> String {
    new_tool(&item("work/greet-it"), Language::Python).replace("1.0.0", version)
}

#[test]
fn each_way_to_tamper_is_refused_by_its_name() {
    let world = World::new();
    world.trust().new_key("me").expect("a home");
    for v2 in [false, true] {
        let file = world.project.join(".ai/tools/work/greet-it.py");
        let _ = fs::remove_file(world.project.join(".ai/toolglot.lock"));
        let _ = fs::remove_dir_all(world.home.join(".ai/toolglot"));
        write(&file, &tool("1.0.0"));
        assert_eq!(world.standing("work/greet-it"), "unsigned");
        world.sign("work/greet-it", v2);
        assert_eq!(world.standing("work/greet-it"), "signed");
        let old = fs::read_to_string(&file).expect("it was signed");

        write(&file, &old.replace("Whom to greet", "Whom to grEet"));
        assert_eq!(world.standing("work/greet-it"), "hash_mismatch");

        let (_, stripped) = old.split_once('\n').expect("a line");
        write(&file, stripped);
        assert_eq!(world.standing("work/greet-it"), "stripped");

        write(&file, &old);
        let moved = world.project.join(".ai/tools/work/greet-me.py");
        write(&moved, &old);
        assert_eq!(world.standing("work/greet-me"), "moved");
        fs::remove_file(&moved).expect("it is there");

        write(&file, &tool("1.1.0"));
        world.sign("work/greet-it", v2);
        write(&file, &old);
        assert_eq!(world.standing("work/greet-it"), "replayed");
        // It does not help to change the lock along with the file: the user's ledger refuses the older version too.
        fs::remove_file(world.project.join(".ai/toolglot.lock")).expect("it is there");
        assert_eq!(world.standing("work/greet-it"), "replayed");

        // The same version with another body, by the same key: the lock has the digest of the first one.
        write(&file, &tool("1.1.0"));
        world.sign("work/greet-it", v2);
        let key = world.trust().private_key().expect("a key");
        let other = tool("1.1.0").replace("Whom", "Who");
        let binding = v2.then_some(("work/greet-it", "1.1.0"));
        write(&file, &sign_text(&other, Style::Hash, &key, TIME, binding));
        assert_eq!(world.standing("work/greet-it"), "not_locked");
    }
}

#[test]
fn version_two_covers_id_version_and_time() {
    let key = PrivateKey::generate().expect("random bytes");
    let keys = mine(&key);
    let signed = sign_text("a: 1\n", Style::Hash, &key, TIME, Some(("w/a", "1.0.0")));
    let code = |text: &str, id: &str| match verify_text(id, text, Style::Hash, &keys) {
        Ok(verified) => format!("{:?}", verified.generation),
        Err(refusal) => refusal.code().to_owned(),
    };
    assert_eq!(code(&signed, "w/a"), "V2");
    assert_eq!(code(&signed, "w/b"), "moved");
    assert_eq!(code(&signed.replace("w/a", "w/b"), "w/b"), "bad_signature");
    assert_eq!(
        code(&signed.replace("1.0.0", "2.0.0"), "w/a"),
        "bad_signature"
    );
    assert_eq!(
        code(&signed.replace("2026-02", "2027-02"), "w/a"),
        "bad_signature"
    );
    assert_eq!(
        code(&signed.replace("a: 1", "a: 2"), "w/a"),
        "hash_mismatch"
    );
    // Version 1 does not cover the time, as in Rye.
    let v1 = sign_text("a: 1\n", Style::Hash, &key, TIME, None);
    assert_eq!(code(&v1.replace("2026-02", "2027-02"), "w/b"), "V1");
}

#[test]
fn every_comment_style_signs_and_signs_again() {
    let key = PrivateKey::generate().expect("random bytes");
    let keys = mine(&key);
    let again = PrivateKey::from_pem(&key.to_pem()).expect("its own block");
    assert_eq!(
        again.public(),
        PublicKey::from_pem(&key.public().to_pem()).expect("its own block")
    );
    let knowledge = Style::Markdown(toolglot_tool_signature::Item::Knowledge);
    let directive = Style::Markdown(toolglot_tool_signature::Item::Directive);
    for (style, text, first) in [
        (Style::Hash, "x = 1\n", "# rye:signed:"),
        (
            Style::Hash,
            "#!/usr/bin/env python3\nx = 1\n",
            "#!/usr/bin/env python3\n# rye:signed:",
        ),
        (
            Style::Hash,
            "# rye:validated:2026-01-01T00:00:00Z:placeholder\nx\n",
            "# rye:signed:",
        ),
        (Style::Hash, "# kiwi-mcp:signed:old\nx\n", "# rye:signed:"),
        (Style::Hash, "", "# rye:signed:"),
        (Style::Hash, "no newline", "# rye:signed:"),
        (Style::Hash, "\u{feff}x: 1\n", "# rye:signed:"),
        (Style::Slashes, "export {};\n", "// rye:signed:"),
        (
            Style::Slashes,
            "#!/usr/bin/env node\nexport {};\n",
            "// rye:signed:",
        ),
        (knowledge, "---\ntitle: x\n---\nBody\n", "<!-- rye:signed:"),
        (knowledge, "Body\n", "<!-- rye:signed:"),
        (
            directive,
            "Text <directive name=\"a\">do</directive> more\n",
            "<!-- rye:signed:",
        ),
    ] {
        let signed = sign_text(text, style, &key, TIME, None);
        assert!(signed.starts_with(first), "{signed}");
        assert!(verify_text("a", &signed, style, &keys).is_ok(), "{signed}");
        assert_eq!(
            sign_text(&signed, style, &key, TIME, None),
            signed,
            "signing again replaces the line"
        );
        let header = Header::find(&signed, style).expect("it is signed");
        assert_eq!(
            (header.generation, header.time.as_str()),
            (Generation::V1, TIME)
        );
        assert_eq!(header.signature.map(|bytes| bytes.len()), Some(64));
    }
}

#[test]
fn later_headers_of_the_origin_are_read() {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};
    let key = PrivateKey::generate().expect("random bytes");
    let keys = mine(&key);
    let signed = sign_text("a: 1\n", Style::Hash, &key, TIME, None);
    let unpadded = signed.replacen("==:", ":", 1);
    assert_ne!(unpadded, signed);
    assert!(verify_text("a", &unpadded, Style::Hash, &keys).is_ok());
    let line = signed.lines().next().expect("a line");
    let fields: Vec<&str> = line.rsplitn(4, ':').collect();
    let (signature, hash) = (fields[1], fields[2]);
    let raw = URL_SAFE.decode(signature).expect("base64");
    let rewritten = format!(
        "# ryeos:signed:{TIME}:{hash}:{}:{}\na: 1\n",
        STANDARD.encode(raw),
        key.public().long_fingerprint()
    );
    let verified = verify_text("a", &rewritten, Style::Hash, &keys).expect("the rewrite's form");
    assert_eq!(verified.generation, Generation::Ryeos);
}

#[test]
fn keys_count_only_where_the_user_said_so() {
    let world = World::new();
    let file = world.project.join(".ai/tools/work/greet-it.py");
    let stranger = PrivateKey::generate().expect("random bytes");
    let fingerprint = stranger.public().fingerprint();
    write(
        &file,
        &sign_text(&tool("1.0.0"), Style::Hash, &stranger, TIME, None),
    );
    assert_eq!(world.standing("work/greet-it"), "untrusted_key");
    // A key that a project brings is not trusted by that.
    let brought = format!(
        "# rye:signed:{TIME}:x\nfingerprint = \"{fingerprint}\"\nowner = \"stranger\"\n[public_key]\npem = \"\"\"\n{}\"\"\"\n",
        stranger.public().to_pem()
    );
    write(
        &world
            .project
            .join(format!(".ai/trusted_keys/{fingerprint}.toml")),
        &brought,
    );
    assert_eq!(world.standing("work/greet-it"), "untrusted_key");
    let listed: Vec<_> = world
        .trust()
        .keys()
        .iter()
        .map(|known| (known.from, known.is_trusted))
        .collect();
    assert_eq!(listed, [("system", true), ("project", false)]);
    world.trust().pin(&fingerprint).expect("it is known");
    assert_eq!(world.standing("work/greet-it"), "signed");
    // Pinned here, and in no other project.
    let elsewhere = World::new();
    fs::create_dir_all(elsewhere.home.join(".ai")).expect("a folder");
    let pinned = format!(".ai/trusted_keys/{fingerprint}.toml");
    fs::create_dir_all(elsewhere.home.join(".ai/trusted_keys")).expect("a folder");
    fs::copy(world.home.join(&pinned), elsewhere.home.join(&pinned)).expect("a file");
    write(
        &elsewhere.project.join(".ai/tools/work/greet-it.py"),
        &fs::read_to_string(&file).expect("it is there"),
    );
    assert_eq!(elsewhere.standing("work/greet-it"), "untrusted_key");
    world
        .trust()
        .revoke(&fingerprint, TIME)
        .expect("it is known");
    assert_eq!(world.standing("work/greet-it"), "revoked_key");
    assert!(matches!(
        world.trust().revoke("0000000000000000", TIME),
        Err(TrustError::UnknownKey(_))
    ));
    // A key file under the name of another key is not a key.
    write(
        &world.home.join(".ai/trusted_keys/0000000000000000.toml"),
        &brought.replace(&fingerprint, "0000000000000000"),
    );
    assert!(matches!(
        Trust::open(&world.spaces()),
        Err(TrustError::Damaged { .. })
    ));
}

#[test]
fn the_private_key_is_nobody_elses() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let mut trust = world.trust();
    assert!(matches!(trust.private_key(), Err(TrustError::NoKey)));
    trust.new_key("me").expect("a home");
    assert!(matches!(trust.new_key("me"), Err(TrustError::KeyExists(_))));
    let path = world.home.join(".ai/keys/private_key.pem");
    let mode = |path: &Path| {
        fs::metadata(path)
            .expect("it is there")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().expect("a folder")), 0o700);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("a mode");
    assert!(matches!(
        trust.private_key(),
        Err(TrustError::OpenKey { .. })
    ));
}

#[test]
fn trust_is_for_one_text_and_remembers_it() {
    let world = World::new();
    let file = world.project.join(".ai/tools/work/greet-it.py");
    write(&file, &tool("1.0.0"));
    let found = world.found("work/greet-it");
    world.trust().trust(&[(&found, "1.0.0")]).expect("a home");
    assert_eq!(world.standing("work/greet-it"), "trusted");
    write(&file, &tool("1.0.1"));
    assert_eq!(world.standing("work/greet-it"), "changed");
    let trust = world.trust();
    let record = trust.record(&found).expect("it was trusted");
    assert_eq!(
        trust.trusted_text(&record).as_deref(),
        Some(tool("1.0.0").as_str())
    );
    // The user's own tools need neither a signature nor trust, until one of them was signed.
    write(&world.home.join(".ai/tools/work/my-own.py"), &tool("1.0.0"));
    assert_eq!(world.standing("work/my-own"), "own");
}

#[test]
fn spaces_and_extensions_have_an_order() {
    let world = World::new();
    let project = |name: &str| world.project.join(".ai/tools/work").join(name);
    write(&world.home.join(".ai/tools/work/a.py"), "user");
    assert_eq!(world.found("work/a").space, Space::User);
    for (name, extension) in [
        ("a.toml", "toml"),
        ("a.sh", "sh"),
        ("a.ts", "ts"),
        ("a.js", "js"),
        ("a.yml", "yml"),
        ("a.yaml", "yaml"),
        ("a.py", "py"),
    ] {
        write(&project(name), "project");
        let found = world.found("work/a");
        assert_eq!((found.space, found.extension), (Space::Project, extension));
    }
    assert_eq!(
        world
            .registry()
            .find_from(&item("work/a"), Space::User)
            .expect("it is there")
            .space,
        Space::User
    );
    assert_eq!(world.found("rye/bash/bash").space, Space::System);
    write(&world.project.join(".ai/tools/rye/bash/bash.py"), "mine");
    assert_eq!(world.found("rye/bash/bash").space, Space::Project);
    let (entries, problems) = world.registry().list();
    let mine: Vec<_> = entries
        .iter()
        .filter(|entry| entry.space != Space::System)
        .map(|entry| (entry.id.as_str(), entry.extension))
        .collect();
    assert_eq!(mine, [("rye/bash/bash", "py"), ("work/a", "py")]);
    let shadowed = problems
        .iter()
        .filter(|line| line.contains("is never used"));
    assert_eq!((shadowed.count(), problems.len()), (6, 6), "{problems:?}");
    let error = world.registry().find(&item("work/b")).expect_err("nothing");
    assert!(matches!(error, FindError::NotFound { .. }));
    let error = world.registry().find(&item("write")).expect_err("nothing");
    assert_eq!(
        error.to_string(),
        "unknown tool `write`; did you mean `rye/file-system/write`?"
    );
}

#[test]
fn links_do_not_lead_out() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    let tools = world.project.join(".ai/tools");
    write(&world.home.join("secret.py"), "secret");
    symlink(world.home.join("secret.py"), tools.join("direct.py")).expect("a link");
    symlink(&world.home, tools.join("folder")).expect("a link");
    symlink("../../../home/secret.py", tools.join("relative.py")).expect("a link");
    write(&tools.join("real/inner.py"), "inner");
    symlink("real/inner.py", tools.join("within.py")).expect("a link");
    for id in ["direct", "relative", "folder/secret"] {
        let error = world.registry().find(&item(id)).expect_err(id);
        assert!(
            matches!(error, FindError::Escapes { .. }),
            "{id}: {error:?}"
        );
    }
    assert_eq!(world.found("within").text(), "inner");
    let (entries, problems) = world.registry().list();
    let ids: Vec<_> = entries
        .iter()
        .filter(|entry| entry.space == Space::Project)
        .map(|entry| entry.id.as_str())
        .collect();
    assert_eq!(ids, ["real/inner", "within"]);
    assert_eq!(problems.len(), 3, "{problems:?}");
    // The directory of tools itself may not link out of its project either.
    let other = World::new();
    fs::remove_dir(other.project.join(".ai/tools")).expect("it is empty");
    symlink(&tools, other.project.join(".ai/tools")).expect("a link");
    assert!(matches!(
        Registry::open(&other.spaces()),
        Err(FindError::Escapes { .. })
    ));
    write(&tools.join("large.py"), &" ".repeat((1 << 20) + 1));
    assert!(matches!(
        world.registry().find(&item("large")),
        Err(FindError::TooLarge { .. })
    ));
    fs::write(tools.join("bytes.py"), [0xff, 0xfe]).expect("a file");
    assert!(matches!(
        world.registry().find(&item("bytes")),
        Err(FindError::NotText { .. })
    ));
}

#[test]
fn thousands_of_tools_are_listed() {
    let world = World::new();
    for i in 0..3000 {
        write(
            &world
                .project
                .join(format!(".ai/tools/c{}/tool-{i}.py", i % 50)),
            "x",
        );
    }
    let (entries, problems) = world.registry().list();
    let own = entries
        .iter()
        .filter(|entry| entry.space == Space::Project)
        .count();
    assert_eq!((own, problems.len()), (3000, 0));
    assert!(entries.is_sorted_by_key(|entry| entry.id.clone()));
}

#[test]
fn the_system_set_is_whole_signed_and_in_order() {
    let world = World::new();
    let (entries, _) = world.registry().list();
    let mut embedded: Vec<String> = entries
        .iter()
        .map(|entry| format!("{}.{}", entry.id, entry.extension))
        .collect();
    for entry in &entries {
        let found = world.registry().read(entry).expect("it is embedded");
        let tool = found.tool().checked();
        // Its names are those of Rye, one word or with an underscore.
        let broken: Vec<_> = tool
            .diagnostics
            .iter()
            .filter(|one| !matches!(one.rule.code, "B01" | "B02" | "B13"))
            .collect();
        assert_eq!(
            broken,
            Vec::<&toolglot_tool_files::Diagnostic>::new(),
            "{}",
            entry.id
        );
        let standing = world
            .trust()
            .standing(&found, tool.metadata.version.as_deref());
        assert_eq!(standing, Ok(TrustBasis::System), "{}", entry.id);
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("system");
    let mut on_disk = Vec::new();
    let mut open = vec![folder.clone()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.parent() != Some(folder.as_path()) {
                on_disk.push(
                    path.strip_prefix(&folder)
                        .expect("below it")
                        .display()
                        .to_string(),
                );
            }
        }
    }
    on_disk.sort();
    embedded.sort();
    assert_eq!(embedded, on_disk);
}

#[test]
fn new_tools_break_no_rule_and_no_practice() {
    for language in [
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Bash,
        Language::Yaml,
        Language::Toml,
    ] {
        for id in ["notes/add-note", "greet-it", "a/b/c/do-it"] {
            let id = item(id);
            let tool = ToolFile::read(&id, language, &new_tool(&id, language)).checked();
            assert_eq!(tool.diagnostics, [], "{} {id}", language.name());
            assert_eq!(tool.specs().len(), 1);
        }
    }
}

#[test]
fn the_rules_know_the_executors_of_the_system_set() {
    let (entries, _) = World::new().registry().list();
    let executors: Vec<&str> = entries
        .iter()
        .map(|entry| entry.id.as_str())
        .filter(|id| id.starts_with("rye/core/"))
        .collect();
    assert_eq!(executors, toolglot_tool_files::SYSTEM_EXECUTORS);
}
