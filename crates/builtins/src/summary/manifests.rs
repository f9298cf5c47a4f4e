//! Reads the facts that a summary needs from manifests, without running anything.

use toolglot_value::Value;

/// The facts from one manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Project {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) manifest: String,
    pub(super) kind: &'static str,
    pub(super) framework: Option<String>,
    pub(super) dependencies: Vec<String>,
    pub(super) dev_dependencies: Vec<String>,
}

/// Names of manifests, with their kinds of project.
const MANIFESTS: &[(&str, &str)] = &[
    ("package.json", "Node.js"),
    ("deno.json", "Deno"),
    ("Cargo.toml", "Rust"),
    ("pyproject.toml", "Python"),
    ("requirements.txt", "Python"),
    ("setup.py", "Python"),
    ("Pipfile", "Python"),
    ("go.mod", "Go"),
    ("pom.xml", "Java"),
    ("build.gradle", "Java"),
    ("build.gradle.kts", "Kotlin"),
    ("Gemfile", "Ruby"),
    ("composer.json", "PHP"),
    ("mix.exs", "Elixir"),
    ("pubspec.yaml", "Dart"),
    ("Package.swift", "Swift"),
    ("CMakeLists.txt", "C/C++"),
    ("meson.build", "C/C++"),
    ("Makefile", "Make"),
    ("stack.yaml", "Haskell"),
    ("dune-project", "OCaml"),
    ("build.zig", "Zig"),
    ("build.sbt", "Scala"),
    ("deps.edn", "Clojure"),
    ("flake.nix", "Nix"),
    ("Dockerfile", "Docker"),
];

/// Kinds of project by the manifest's extension.
const BY_EXTENSION: &[(&str, &str)] = &[
    (".csproj", ".NET"),
    (".fsproj", ".NET"),
    (".sln", ".NET"),
    (".cabal", "Haskell"),
    (".gemspec", "Ruby"),
];

/// Dependencies that identify a framework, the most specific first.
const FRAMEWORKS: &[(&str, &str)] = &[
    ("next", "Next.js"),
    ("nuxt", "Nuxt"),
    ("@remix-run/react", "Remix"),
    ("gatsby", "Gatsby"),
    ("@sveltejs/kit", "SvelteKit"),
    ("astro", "Astro"),
    ("expo", "Expo"),
    ("react-native", "React Native"),
    ("electron", "Electron"),
    ("react", "React"),
    ("vue", "Vue"),
    ("svelte", "Svelte"),
    ("@angular/core", "Angular"),
    ("solid-js", "Solid"),
    ("@nestjs/core", "NestJS"),
    ("express", "Express"),
    ("fastify", "Fastify"),
    ("koa", "Koa"),
    ("django", "Django"),
    ("flask", "Flask"),
    ("fastapi", "FastAPI"),
    ("torch", "PyTorch"),
    ("axum", "Axum"),
    ("actix-web", "Actix Web"),
    ("rocket", "Rocket"),
    ("tauri", "Tauri"),
    ("bevy", "Bevy"),
    ("leptos", "Leptos"),
    ("rails", "Rails"),
    ("sinatra", "Sinatra"),
    ("laravel/framework", "Laravel"),
    ("symfony/framework-bundle", "Symfony"),
    ("github.com/gin-gonic/gin", "Gin"),
    ("github.com/labstack/echo", "Echo"),
    ("spring-boot", "Spring Boot"),
    ("phoenix", "Phoenix"),
    ("flutter", "Flutter"),
];

/// Whether a file of this name is a manifest.
pub(super) fn is_manifest(name: &str) -> bool {
    kind(name).is_some()
}

fn kind(name: &str) -> Option<&'static str> {
    let exact = MANIFESTS.iter().find(|(known, _)| *known == name);
    exact
        .or_else(|| {
            BY_EXTENSION
                .iter()
                .find(|(extension, _)| name.ends_with(extension))
        })
        .map(|(_, kind)| *kind)
}

/// Reads a manifest. An invalid manifest gives a project without details.
pub(super) fn read(name: &str, text: &str) -> Option<Project> {
    let mut project = Project {
        kind: kind(name)?,
        ..Project::default()
    };
    match name {
        "package.json" | "composer.json" | "deno.json" => json(text, &mut project),
        "Cargo.toml" | "pyproject.toml" | "Pipfile" => toml(text, &mut project),
        "requirements.txt" => project.dependencies = text.lines().filter_map(requirement).collect(),
        "go.mod" => go(text, &mut project),
        "Gemfile" => {
            project.dependencies = text
                .lines()
                .filter_map(|line| quoted(line.trim().strip_prefix("gem ")?))
                .collect();
        }
        "pom.xml" => project.dependencies = between(text, "<artifactId>", "</artifactId>"),
        "build.gradle" | "build.gradle.kts" => {
            project.dependencies = text.lines().filter_map(gradle).collect();
        }
        "mix.exs" => {
            project.dependencies = text
                .lines()
                .filter_map(|line| {
                    Some(
                        line.trim()
                            .strip_prefix("{:")?
                            .split(',')
                            .next()?
                            .to_owned(),
                    )
                })
                .collect();
        }
        "pubspec.yaml" => pubspec(text, &mut project),
        _ => {}
    }
    let all = || project.dependencies.iter().chain(&project.dev_dependencies);
    let framework = FRAMEWORKS.iter().find(|(name, _)| {
        all().any(|dependency| {
            dependency.eq_ignore_ascii_case(name)
                || (*name == "spring-boot" && dependency.starts_with(name))
                || (name.contains('/') && dependency.starts_with(&format!("{name}/")))
        })
    });
    project.framework = framework.map(|(_, framework)| (*framework).to_owned());
    Some(project)
}

fn json(text: &str, project: &mut Project) {
    let Ok(manifest) = toolglot_value::from_str(text) else {
        return;
    };
    let keys = |key: &str| -> Vec<String> {
        manifest
            .get(key)
            .and_then(Value::as_object)
            .map(|map| map.keys().cloned().collect())
            .unwrap_or_default()
    };
    let name = manifest.get("name").and_then(Value::as_str);
    name.unwrap_or_default().clone_into(&mut project.name);
    project.dependencies = [keys("dependencies"), keys("require"), keys("imports")].concat();
    project.dev_dependencies = [keys("devDependencies"), keys("require-dev")].concat();
}

/// Reads TOML by table headers: enough for names and dependencies in all their spellings.
fn toml(text: &str, project: &mut Project) {
    let mut table = "";
    let mut is_list = false;
    for line in text.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            table = header
                .trim_start_matches('[')
                .split(']')
                .next()
                .unwrap_or_default()
                .trim();
            is_list = false;
            for (start, is_dev) in [
                ("dependencies.", false),
                ("workspace.dependencies.", false),
                ("dev-dependencies.", true),
            ] {
                if let Some(name) = table.strip_prefix(start) {
                    push(project, is_dev, name);
                }
            }
            continue;
        }
        if is_list {
            if let Some(name) = quoted(line).and_then(|name| requirement(&name)) {
                push(project, false, &name);
            }
            is_list = !line.contains(']') || line.contains('[');
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let (key, value) = (key.trim().trim_matches('"'), value.trim());
        let is_dev = table.contains("dev");
        match table {
            "package" | "project" | "tool.poetry" if key == "name" => quoted(value)
                .unwrap_or_default()
                .clone_into(&mut project.name),
            "project" if key == "dependencies" => {
                for name in between(value, "\"", "\"")
                    .iter()
                    .filter_map(|name| requirement(name))
                {
                    push(project, false, &name);
                }
                is_list = !value.contains(']');
            }
            _ if table.ends_with("dependencies")
                || matches!(table, "packages" | "dev-packages") =>
            {
                let name = key.split('.').next().unwrap_or(key);
                if name != "python" {
                    push(project, is_dev, name);
                }
            }
            _ => {}
        }
    }
}

fn push(project: &mut Project, is_dev: bool, name: &str) {
    let list = if is_dev {
        &mut project.dev_dependencies
    } else {
        &mut project.dependencies
    };
    if !list.iter().any(|other| other == name) {
        list.push(name.to_owned());
    }
}

/// The name in a line of requirements, without version, extras and markers.
fn requirement(line: &str) -> Option<String> {
    let line = line.trim();
    let end = line
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .unwrap_or(line.len());
    (end > 0 && !line.starts_with('-')).then(|| line[..end].to_owned())
}

fn go(text: &str, project: &mut Project) {
    let mut is_block = false;
    for line in text.lines().map(str::trim) {
        let required = if line.starts_with("require (") {
            is_block = true;
            None
        } else if line == ")" {
            is_block = false;
            None
        } else if is_block {
            Some(line)
        } else {
            line.strip_prefix("require ")
        };
        if let Some(name) = line.strip_prefix("module ") {
            name.trim().clone_into(&mut project.name);
        }
        if let Some(name) = required
            .and_then(|line| line.split_whitespace().next())
            .filter(|name| !name.starts_with("//"))
        {
            project.dependencies.push(name.to_owned());
        }
    }
}

fn gradle(line: &str) -> Option<String> {
    let line = line.trim();
    let is_dependency = [
        "implementation",
        "api ",
        "api(",
        "compileOnly",
        "runtimeOnly",
        "testImplementation",
    ]
    .iter()
    .any(|start| line.starts_with(start));
    let coordinates = quoted(line).filter(|_| is_dependency)?;
    Some(coordinates.split(':').nth(1)?.to_owned())
}

fn pubspec(text: &str, project: &mut Project) {
    let mut section = "";
    for line in text.lines() {
        if !line.starts_with(' ') {
            section = line.trim_end().trim_end_matches(':');
            if let Some(name) = line.strip_prefix("name:") {
                name.trim().clone_into(&mut project.name);
            }
        } else if let Some((name, _)) = line
            .trim()
            .split_once(':')
            .filter(|_| line.starts_with("  ") && !line.starts_with("   "))
        {
            match section {
                "dependencies" => push(project, false, name),
                "dev_dependencies" => push(project, true, name),
                _ => {}
            }
        }
    }
}

/// The first text in quotes.
fn quoted(text: &str) -> Option<String> {
    let start = text.find(['"', '\''])?;
    let quote = text[start..].chars().next()?;
    let inside = &text[start + 1..];
    Some(inside[..inside.find(quote)?].to_owned())
}

/// Every text between two others.
fn between(text: &str, open: &str, close: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(open) {
        let inside = &rest[start + open.len()..];
        let Some(end) = inside.find(close) else { break };
        found.push(inside[..end].trim().to_owned());
        rest = &inside[end + close.len()..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn manifests_tell_names_dependencies_and_frameworks() {
        let cases = [
            (
                "package.json",
                r#"{"name":"a","dependencies":{"react":"1","next":"1"},"devDependencies":{"jest":"1"}}"#,
                "a|Node.js|Next.js|react,next|jest",
            ),
            ("package.json", "{ broken", "|Node.js|||"),
            (
                "Cargo.toml",
                "[package]\nname = \"b\"\n[dependencies]\naxum = \"1\"\nserde.workspace = true\n[dev-dependencies]\ninsta = \"1\"\n[dependencies.tokio]\nversion=\"1\"",
                "b|Rust|Axum|axum,serde,tokio|insta",
            ),
            (
                "pyproject.toml",
                "[project]\nname = 'c'\ndependencies = [\n  \"Django>=4\",\n  'x[y]~=1',\n]\n",
                "c|Python|Django|Django,x|",
            ),
            (
                "pyproject.toml",
                "[project]\ndependencies = [\"fastapi>=1\", \"uvicorn\"]\n",
                "|Python|FastAPI|fastapi,uvicorn|",
            ),
            (
                "requirements.txt",
                "# c\nflask==1\n-r other.txt\nnumpy >= 2 ; x\n",
                "|Python|Flask|flask,numpy|",
            ),
            (
                "go.mod",
                "module d/e\nrequire (\n\tgithub.com/gin-gonic/gin v1\n)\nrequire x v2\n",
                "d/e|Go|Gin|github.com/gin-gonic/gin,x|",
            ),
            (
                "Gemfile",
                "source 'x'\ngem 'rails', '~> 7'\n",
                "|Ruby|Rails|rails|",
            ),
            (
                "pubspec.yaml",
                "name: f\ndependencies:\n  flutter:\n    sdk: flutter\n  http: 1\n",
                "f|Dart|Flutter|flutter,http|",
            ),
        ];
        for (name, text, expected) in cases {
            let project = read(name, text).expect("a manifest");
            let shown = format!(
                "{}|{}|{}|{}|{}",
                project.name,
                project.kind,
                project.framework.unwrap_or_default(),
                project.dependencies.join(","),
                project.dev_dependencies.join(",")
            );
            assert_eq!(shown, expected, "{name}: {text}");
        }
        assert!(read("notes.txt", "").is_none());
    }
}
