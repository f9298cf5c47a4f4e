//! Runs the console examples of the documentation.
//!
//! A fence `console` contains commands after `$ ` and their output, of both streams. Earlier fences `.. file=NAME` are
//! the files of the folder that the commands run in. Each page has a folder of its own.
//! `TOOLGLOT_BLESS=1 cargo test -p toolglot --test tests docs::` replaces the expected output by the actual output.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use toolglot_dialect_check::markdown::{Block, Fence, blocks};

#[test]
fn console_examples_do_what_they_show() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut failures = Vec::new();
    for folder in [docs.clone(), docs.join("formats")] {
        for page in pages(&folder) {
            failures.extend(check(&page));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Commands and options in the README and the pages exist, and the README names every command.
#[test]
fn what_is_written_of_commands_is_there() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs = repository.join("docs");
    let mut all = vec![repository.join("README.md")];
    all.extend(pages(&docs));
    all.extend(pages(&docs.join("formats")));
    let mut help = Help::default();
    let mut missing = Vec::new();
    for page in &all {
        let text = fs::read_to_string(page).expect("it was listed");
        for command in commands(&text) {
            if let Err(word) = help.knows(command) {
                missing.push(format!("{}: `{word}` in `{command}`", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    let readme = fs::read_to_string(&all[0]).expect("it was read");
    for command in help.below("") {
        assert!(
            command == "help" || readme.contains(&format!("`{command}`")),
            "the README says nothing of `{command}`"
        );
    }
}

/// The text after `toolglot` in code: in lines of fences, and in code within a line.
fn commands(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut is_fence = false;
    for line in text.lines() {
        let inside = line.trim_start();
        if inside.starts_with("```") {
            is_fence = !is_fence;
        } else if is_fence {
            found.extend(inside.trim_start_matches("$ ").strip_prefix("toolglot "));
        } else {
            let code = line.split('`').skip(1).step_by(2);
            found.extend(code.filter_map(|code| code.strip_prefix("toolglot ")));
        }
    }
    found
}

/// The output of `--help`, by the words before it.
#[derive(Default)]
struct Help(std::collections::BTreeMap<String, String>);

impl Help {
    fn text(&mut self, words: &str) -> &str {
        self.0.entry(words.to_owned()).or_insert_with(|| {
            let output = Command::new(env!("CARGO_BIN_EXE_toolglot"))
                .args(words.split_whitespace())
                .arg("--help")
                .output()
                .expect("the binary starts");
            String::from_utf8(output.stdout).expect("text")
        })
    }

    /// The commands below these words.
    fn below(&mut self, words: &str) -> Vec<String> {
        let text = self.text(words);
        let list = text.split("\nCommands:\n").nth(1).unwrap_or_default();
        let lines = list.lines().take_while(|line| !line.is_empty());
        let names = lines.filter_map(|line| line.split_whitespace().next());
        names.map(str::to_owned).collect()
    }

    /// Whether a command with its options exists; `Err` is the first unknown word.
    fn knows<'a>(&mut self, command: &'a str) -> Result<(), &'a str> {
        let mut known = String::new();
        let mut words = command
            .split(['|', ';', '>', '<', '&', '#'])
            .next()
            .unwrap_or_default()
            .split_whitespace();
        loop {
            let below = self.below(&known);
            let Some(word) = words.next() else {
                return Ok(());
            };
            let option = word
                .split('=')
                .next()
                .unwrap_or(word)
                .trim_end_matches([',', ']']);
            if option.starts_with("--") {
                if option != "--" && option != "--help" && !self.text(&known).contains(option) {
                    return Err(word);
                }
            } else if below.iter().any(|name| name == word) {
                known = format!("{known} {word}");
            } else if known.is_empty() {
                return Err(word);
            }
        }
    }
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut pages: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    pages
}

/// Whether this page runs tools that cannot run here. The report bypasses the captured output of the test harness.
fn is_left_out(page: &Path) -> bool {
    use std::io::Write;
    let has_sandbox =
        toolglot_sandbox::layers().level() == Some(toolglot_sandbox::Isolation::Namespaces);
    let has_python = Command::new("python3").arg("--version").output().is_ok();
    let is_left_out =
        (page.ends_with("tools.md") || page.ends_with("mcp.md")) && !(has_sandbox && has_python);
    if is_left_out {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: {}: no namespaces or no python3 here",
            page.display()
        );
    }
    is_left_out
}

/// Runs the examples of a page, in order, in one folder.
fn check(page: &Path) -> Vec<String> {
    if is_left_out(page) {
        return Vec::new();
    }
    let document = fs::read_to_string(page).expect("it was listed");
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let (mut failures, mut blessed) = (Vec::new(), Vec::new());
    for block in blocks(&document) {
        let Block::Fence(fence) = block else { continue };
        if let Some(name) = fence
            .info
            .split(' ')
            .find_map(|word| word.strip_prefix("file="))
        {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().expect("it is in the folder"))
                .and_then(|()| fs::write(&file, &document[fence.body]))
                .expect("the folder is writable");
        } else if fence.info == "console" {
            let shown = run(&fence, folder.path());
            if shown != fence.text {
                failures.push(format!(
                    "{}:{}\n{shown}\ninstead of\n{}\n",
                    page.display(),
                    fence.line,
                    fence.text
                ));
                blessed.push((fence.body, shown));
            }
        }
    }
    if env::var_os("TOOLGLOT_BLESS").is_some() {
        let mut document = document.clone();
        for (body, shown) in blessed.into_iter().rev() {
            document.replace_range(body, &format!("{shown}\n"));
        }
        fs::write(page, document).expect("a blessed page can be written");
    }
    failures
}

/// The example as it should be: each command, and what it writes.
fn run(fence: &Fence<'_>, folder: &Path) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_toolglot"))
        .parent()
        .expect("a folder holds the binary");
    let path = format!(
        "{}:{}",
        binary.display(),
        env::var("PATH").unwrap_or_default()
    );
    let mut shown = String::new();
    for command in fence
        .text
        .lines()
        .filter_map(|line| line.strip_prefix("$ "))
    {
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{command}")])
            .current_dir(folder)
            .env("PATH", &path)
            // Each page has its own home, so what an example trusts is trusted in its folder only.
            .env("USER_SPACE", folder.join("home"))
            .output()
            .expect("there is a shell");
        writeln!(shown, "$ {command}").expect("writing to a string");
        shown.push_str(&String::from_utf8_lossy(&output.stdout));
        shown.truncate(shown.trim_end().len());
        shown.push('\n');
    }
    shown.truncate(shown.trim_end().len());
    shown
}
