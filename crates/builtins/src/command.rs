//! `execute_command`: literal words run as argument lists without a shell; other text runs in a shell, if that was
//! allowed.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use toolglot_policy::{AwayPath, CommandFact, CommandLine, Join, PathFact, Pipeline, Stream};
use toolglot_sandbox::{Command, Exit, Isolation, Scratch, Sink, Start, run_pipeline};
use toolglot_value::json;

use crate::base_directories::{BaseDirectories, joined};
use crate::file_names::file_names;
use crate::git_settings::starts;
use crate::{Failure, Outcome, Root, git, identity};

/// The most words of a command that are looked up as paths.
const MOST_WORDS: usize = 4_096;

/// A command to run: its pipelines, or the text for a shell.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) line: Result<CommandLine, String>,
    pub(crate) time: Option<Duration>,
}

/// Reads a command and resolves its words that name paths inside the root.
pub(crate) fn fact(root: &Root, text: &str, cwd: &str) -> CommandFact {
    let mut fact = CommandFact::expanded(text, |moves, pattern| {
        let base = moves
            .iter()
            .fold(cwd.to_owned(), |base, to| joined(&base, to));
        file_names(root, &base, pattern)
    });
    let bases = BaseDirectories::of(root, &fact.survey.commands, cwd);
    let words = fact.words();
    let words: BTreeSet<&str> = words.into_iter().collect();
    let mut places = bases
        .paths
        .iter()
        .flat_map(|base| words.iter().map(move |word| (*word, joined(base, word))));
    let mut found = Vec::new();
    let mut outside = Vec::new();
    for (word, path) in places.by_ref().take(MOST_WORDS) {
        match root.resolve(&path) {
            Ok(inside) => found.push(PathFact {
                written: word.to_owned(),
                found: Ok(inside),
            }),
            // The rules for paths outside the root decide about the target.
            Err(escape) if escape.is_outside() && word != "/dev/null" => {
                let path = root.path().join(&path);
                let real = path.canonicalize().unwrap_or(path);
                outside.push(real.to_string_lossy().into_owned());
            }
            Err(_) => {}
        }
    }
    // The targets of the remaining words are unknown.
    let has_more_places = places.next().is_some() || bases.has_more;
    let is_away = |away: &AwayPath| {
        // The path after a `\0` is known only to a shell and may be anything. The part before it is the known prefix.
        let known = away.path.split('\0').next().unwrap_or_default();
        let leads_out = |base: &str| {
            let found = if known.starts_with('~') {
                root.resolve(known)
            } else {
                root.resolve(&joined(base, known))
            };
            found.is_err_and(|escape| escape.is_outside())
        };
        match &away.moves {
            Some(moves) => leads_out(
                &moves
                    .iter()
                    .fold(cwd.to_owned(), |base, to| joined(&base, to)),
            ),
            // The working directory is unknown: one candidate that leads out is enough.
            None => bases.has_more || bases.paths.iter().any(|base| leads_out(base)),
        }
    };
    let away = fact.away();
    let beyond = away.iter().take(MOST_WORDS).find(|path| is_away(path));
    // An unchecked word may lead anywhere.
    let beyond = beyond.or_else(|| away.get(MOST_WORDS));
    fact.beyond = beyond.map(|away| away.path.clone());
    fact.places = found;
    fact.has_more_places = has_more_places;
    fact.outside = outside;
    fact.home = std::env::var("HOME")
        .ok()
        .filter(|home| home.starts_with('/'));
    fact
}

/// Runs a command in the directory `cwd` of the root.
pub(crate) fn run(root: &Root, cwd: &Path, run: Run) -> Result<Outcome, Failure> {
    root.directory(cwd)
        .map_err(|error| root.explain("used as the working directory", cwd, error.into()))?;
    let time = root.sandbox.time(run.time);
    let mut report = RunReport::default();
    match run.line {
        Ok(line) => {
            if let Some(name) = shell_state(&line) {
                return Err(Failure::ShellState { name });
            }
            literal(root, cwd.to_path_buf(), &line, time, &mut report)?;
        }
        Err(text) => {
            let mut command = root.sandbox.command(root.path(), cwd, true)?;
            command.argv = ["bash", "--noprofile", "--norc", "-c", &text]
                .map(Into::into)
                .to_vec();
            command.limits.time = time;
            let is_missing = |error: &toolglot_sandbox::SandboxError| {
                matches!(
                    error.cause(),
                    toolglot_sandbox::SandboxError::NotFound { .. }
                )
            };
            let outcome = command.run().or_else(|error| {
                if !is_missing(&error) {
                    return Err(error);
                }
                command.argv = ["sh", "-c", &text].map(Into::into).to_vec();
                command.run()
            })?;
            report.add(&outcome);
        }
    }
    report.hint = write_hint(root, &report.stderr);
    Ok(report.outcome(time))
}

/// A hint about the missing permission, where the command's stderr reports a read-only file system.
fn write_hint(root: &Root, stderr: &str) -> Option<String> {
    let sandbox = &root.sandbox;
    let is_ours = |line: &str| {
        // No grant makes a path outside the root writable.
        let words =
            line.split(|c: char| c.is_whitespace() || "'\"`:,()\u{2018}\u{2019}".contains(c));
        let mut places = words.filter(|word| word.starts_with('/')).peekable();
        places.peek().is_none() || places.any(|place| Path::new(place).starts_with(root.path()))
    };
    let says_so = |line: &str| {
        let line = line.to_ascii_lowercase();
        line.contains("read-only file system") || line.contains("erofs")
    };
    if !stderr.lines().any(|line| says_so(line) && is_ours(line)) {
        return None;
    }
    let list = &sandbox.settings.decided.write;
    if !list.is_empty() && !sandbox.may_write {
        return Some(
            "commands change no files here: that needs the grant `write` besides `exec`".to_owned(),
        );
    }
    let is_whole = list.iter().any(|top| top == ".");
    (!is_whole).then(|| {
        let places = match list.as_slice() {
            [] => "no files".to_owned(),
            places => format!("only `{}`", places.join("`, `")),
        };
        format!("the policy lets commands change {places}: see `write` in its `[sandbox]`")
    })
}

/// The name of the command if it is the only one of its line and changes only the shell's state.
fn shell_state(line: &CommandLine) -> Option<String> {
    let mut commands = line.commands();
    let first = commands.next()?.first()?;
    (commands.next().is_none() && matches!(first.as_str(), "cd" | "export" | "source" | "."))
        .then(|| first.clone())
}

/// Runs pipelines as `&&`, `||` and `;` say. `cd` is built in: it changes the working directory of the commands after
/// it.
fn literal(
    root: &Root,
    mut cwd: PathBuf,
    line: &CommandLine,
    time: Duration,
    report: &mut RunReport,
) -> Result<(), Failure> {
    let started = Instant::now();
    // All commands of a line share one `/tmp`.
    let scratch = (line.commands().count() > 1)
        .then(Scratch::new)
        .transpose()?;
    let command_in = |cwd: &Path| {
        let mut base = root.sandbox.command(root.path(), cwd, false)?;
        base.temporary = scratch.as_ref().map(|scratch| scratch.path().to_path_buf());
        Ok::<Command, Failure>(base)
    };
    // Computed once for all commands of a pipeline: the search for hidden files takes longest.
    let mut base = command_in(&cwd)?;
    for pipeline in &line.pipelines {
        let is_run = match pipeline.join {
            Join::Then => true,
            Join::And => report.is_success(),
            Join::Or => !report.is_success(),
        };
        if !is_run {
            continue;
        }
        if let [words] = pipeline.commands.as_slice()
            && words[0] == "cd"
        {
            match change_directory(root, &cwd, words) {
                Ok(to) => {
                    cwd = to;
                    // Another repository may start here.
                    identity::set(&mut base.env, root.path(), &cwd);
                    report.exit = Exit::Code(0);
                }
                Err(message) => {
                    let is_shown = pipeline.streams[0].error != Stream::Null;
                    report.stderr.push_str(if is_shown { &message } else { "" });
                    report.exit = Exit::Code(1);
                }
            }
            continue;
        }
        let left = time.saturating_sub(started.elapsed());
        if left.is_zero() {
            report.exit = Exit::TimedOut;
            break;
        }
        if report.n_run > 0 {
            // An earlier command may have moved protected files.
            base = command_in(&cwd)?;
        }
        if report.n_run > 0 && !stands(root, &cwd, pipeline) {
            report.stderr.push_str(
                "an earlier command changed the files that a pattern matches: run this command in a call of its own\n",
            );
            report.exit = Exit::Code(1);
            continue;
        }
        let mut changed = Vec::new();
        let commands: Vec<Command> = pipeline
            .commands
            .iter()
            .zip(&pipeline.streams)
            .map(|(words, streams)| {
                let mut command = base.clone();
                command.sinks = [streams.output, streams.error].map(|stream| match stream {
                    Stream::Output => Sink::Output,
                    Stream::Error => Sink::Error,
                    Stream::Null => Sink::Null,
                });
                if starts(words) == Start::Itself && !command.mask.is_empty() {
                    let masks = git::masks(root, &cwd, &command.mask);
                    command.mask = masks.paths;
                    changed.extend(masks.changed);
                }
                command.cwd = root.path().join(&cwd);
                command.argv = words.iter().map(Into::into).collect();
                if command.isolation >= Isolation::Landlock {
                    command.start = starts(words);
                }
                command.limits.time = left;
                command
            })
            .collect();
        let outcomes = match run_pipeline(&commands) {
            Ok(outcomes) => outcomes,
            // The earlier commands have run: their output is reported, not lost.
            Err(error) if report.n_run > 0 => {
                let _ = writeln!(report.stderr, "{error}");
                report.exit = Exit::Code(127);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        for outcome in &outcomes {
            report.add(outcome);
        }
        if report.exit == Exit::Code(128) && !changed.is_empty() {
            let _ = writeln!(
                report.stderr,
                "git cannot read {}, which is hidden from commands and changed since it was last added: leave it out with a pathspec such as `':!{}'`",
                changed.join(", "),
                changed[0]
            );
        }
        if matches!(report.exit, Exit::TimedOut | Exit::Cancelled) {
            break;
        }
    }
    Ok(())
}

/// Whether the patterns of a pipeline still expand to the names that the policy decided on.
fn stands(root: &Root, cwd: &Path, pipeline: &Pipeline) -> bool {
    pipeline.patterns.iter().all(|pattern| {
        let Ok(mut names) = file_names(root, &cwd.to_string_lossy(), &pattern.pattern) else {
            return false;
        };
        let words = &pipeline.commands[pattern.command][pattern.word..][..pattern.n_words];
        let is_word = pattern.n_words == 1 && names.is_empty();
        if is_word {
            // Nothing matched, so the word is the pattern itself.
            names.push(unescaped(&pattern.pattern));
        }
        names == words
    })
}

fn unescaped(pattern: &str) -> String {
    let mut letters = pattern.chars();
    let mut text = String::new();
    while let Some(c) = letters.next() {
        text.extend(if c == '\\' { letters.next() } else { Some(c) });
    }
    text
}

fn change_directory(root: &Root, cwd: &Path, words: &[String]) -> Result<PathBuf, String> {
    let [_, to] = words else {
        return Err("cd: one directory is needed\n".to_owned());
    };
    let path = if Path::new(to).is_absolute() {
        PathBuf::from(to)
    } else {
        cwd.join(to)
    };
    let written = path.to_string_lossy();
    let found = root
        .resolve(if written.is_empty() { "." } else { &written })
        .map_err(|escape| format!("cd: {to}: {escape}\n"))?;
    root.directory(&found.path)
        .map(|_| found.path)
        .map_err(|error| format!("cd: {to}: {error}\n"))
}

/// The report on all commands that ran.
#[derive(Debug)]
struct RunReport {
    stdout: String,
    stderr: String,
    exit: Exit,
    n_cut: u64,
    n_left: u32,
    n_run: usize,
    hint: Option<String>,
}

impl Default for RunReport {
    fn default() -> RunReport {
        RunReport {
            stdout: String::new(),
            stderr: String::new(),
            exit: Exit::Code(0),
            n_cut: 0,
            n_left: 0,
            n_run: 0,
            hint: None,
        }
    }
}

impl RunReport {
    fn is_success(&self) -> bool {
        self.exit == Exit::Code(0)
    }

    fn add(&mut self, outcome: &toolglot_sandbox::ProcessOutcome) {
        self.stdout.push_str(&outcome.stdout.text());
        self.stderr.push_str(&outcome.stderr.text());
        self.exit = outcome.exit;
        self.n_cut += outcome.stdout.n_cut() + outcome.stderr.n_cut();
        self.n_left += outcome.n_left;
        self.n_run += 1;
    }

    fn outcome(self, time: Duration) -> Outcome {
        let is_success = self.is_success();
        let how = match self.exit {
            Exit::Code(0) => None,
            Exit::Code(code) => Some(format!("exit code {code}")),
            Exit::TimedOut => Some(format!(
                "stopped after {} seconds, with all that it had started",
                time.as_secs_f64()
            )),
            Exit::Signal(signal) => {
                Some(format!("ended by signal {signal}{}", signal_means(signal)))
            }
            Exit::Cancelled => Some("cancelled, with all that it had started".to_owned()),
            _ => Some("ended".to_owned()),
        };
        let exit_code = match self.exit {
            Exit::Code(code) => code,
            // The codes that shells use.
            Exit::TimedOut => 124,
            Exit::Signal(signal) => 128 + signal,
            Exit::Cancelled => 130,
            _ => 1,
        };
        let mut text = self.stdout.clone();
        let mut line = |part: &str| {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(part);
        };
        if !self.stderr.is_empty() {
            line(&format!("[stderr]\n{}", self.stderr));
        }
        if let Some(how) = &how {
            line(&format!("[{how}]"));
        }
        if self.n_left > 0 {
            line(&format!(
                "[{} left running and killed]",
                crate::shown::counted(self.n_left.into(), "process")
                    .replace("processs", "processes")
            ));
        }
        if let Some(hint) = &self.hint {
            line(&format!("[{hint}]"));
        }
        if text.is_empty() {
            "[the command succeeded and wrote nothing]".clone_into(&mut text);
        }
        let mut output = json!({
            "stdout": self.stdout,
            "stderr": self.stderr,
            "exitCode": exit_code,
            "timedOut": self.exit == Exit::TimedOut,
            "bytesCut": self.n_cut,
            "processesKilled": self.n_left,
        });
        if let Some(hint) = self.hint {
            output["hint"] = hint.into();
        }
        Outcome {
            ok: is_success,
            output,
            text,
        }
    }
}

/// The usual meaning of a signal that a limit sends.
fn signal_means(signal: i32) -> &'static str {
    match signal {
        9 => " (killed, perhaps for its memory)",
        11 => " (invalid memory access)",
        24 => " (its processor time was up)",
        25 => " (a file grew over the limit)",
        31 => " (a system call that is not allowed)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_not_looked_up_are_said_to_be_there() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let root = Root::open(folder.path())?;
        let distinct: Vec<String> = (0..=MOST_WORDS).map(|n| format!("w{n}")).collect();
        let same = vec!["a.txt"; MOST_WORDS + 1];
        for (words, expected) in [(distinct.join(" "), true), (same.join(" "), false)] {
            let fact = fact(&root, &format!("cat {words} private/key"), ".");
            assert_eq!(fact.has_more_places, expected);
            let is_key = |place: &PathFact| place.written == "private/key";
            assert!(expected || fact.places.iter().any(is_key));
        }
        Ok(())
    }
}
