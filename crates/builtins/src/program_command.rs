//! Builds the sandboxed command of a program, without its argument list.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use toolglot_policy::{CommandLine, Reach};
use toolglot_sandbox::{Command, Inspection, Isolation, Network, ResourceLimits};

use crate::git_settings::set_git;
use crate::protected_paths::ProtectedPaths;
use crate::tool_cache::{CACHE, caches};
use crate::{Failure, ProgramSandbox};

/// The rights of the program of a tool that is a file, already limited by the policy.
#[derive(Clone, Debug)]
pub struct ToolRights<'a> {
    /// The tool, as rules name it.
    pub tool: &'a str,
    /// Whether it may change the project.
    pub may_write: bool,
    /// Whether it may use the network.
    pub may_connect: bool,
    /// Whether it has its own cache below `.ai`.
    pub has_cache: bool,
    /// The command of the call, if the tool is a shell that runs it like `execute_command`.
    pub command: Option<ToolCommand<'a>>,
    /// Its time limit, already narrowed: see `SandboxSettings::tool_time` of `toolglot-policy`.
    pub time: Duration,
    /// The most bytes of each output stream, already narrowed.
    pub output_bytes: usize,
}

/// The command that a tool gives a shell.
#[derive(Clone, Copy, Debug)]
pub struct ToolCommand<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its working directory.
    pub cwd: &'a Path,
}

impl ProgramSandbox {
    /// A command without an argument list, in the directory `cwd` of the root.
    ///
    /// # Errors
    ///
    /// The search for protected paths fails.
    pub(crate) fn command(
        &self,
        root: &Path,
        cwd: &Path,
        needs_shell: bool,
    ) -> Result<Command, Failure> {
        let sandbox = &self.settings.decided;
        let may_connect = sandbox.network == Reach::Host;
        let mut command = self.program(root, self.isolation(needs_shell), may_connect);
        command.cwd = root.join(cwd);
        set_git(&mut command, &sandbox.env, root, cwd);
        if self.may_write {
            command.write = self.writable(root);
        }
        if command.isolation == Isolation::Namespaces {
            let paths = ProtectedPaths::of(root, "execute_command", &self.refused)?;
            paths.protect(&mut command);
        }
        command.limits.time = sandbox.time(None);
        command.limits.output_bytes = sandbox.output_bytes;
        Ok(command)
    }

    /// The command of a tool that is a file, without an argument list, in the project at `root`.
    ///
    /// # Errors
    ///
    /// The search for protected paths fails.
    pub fn tool(&self, root: &Path, rights: &ToolRights<'_>) -> Result<Command, Failure> {
        let may_connect = rights.may_connect && self.settings.tool_network();
        let is_line = |command: ToolCommand<'_>| CommandLine::read_patterns(command.text).is_ok();
        let needs_shell = rights.command.is_some_and(|command| !is_line(command));
        let mut command = self.program(root, self.isolation(needs_shell), may_connect);
        if let Some(ToolCommand { cwd, .. }) = rights.command {
            set_git(&mut command, &[], root, cwd);
        }
        if rights.may_write {
            command.write = self.writable(root);
        }
        if command.isolation == Isolation::Namespaces {
            let mut paths = ProtectedPaths::of_tool(root, rights.tool, &self.refused)?;
            let cache = root.join(CACHE);
            if rights.has_cache && command.write.iter().any(|top| cache.starts_with(top)) {
                // Without a cache the tool gets the error of a read-only path, as for other paths.
                paths.reopened = caches(root, rights.tool, &self.refused).unwrap_or_default();
            }
            paths.protect(&mut command);
        }
        command.limits.time = rights.time;
        command.limits.output_bytes = rights.output_bytes;
        Ok(command)
    }

    /// The client of a container engine. It needs the engine's socket, so it runs unsandboxed: the container is the
    /// sandbox of its program, and the engine enforces the limits.
    pub fn engine_client(&self, root: &Path, time: Duration, output_bytes: usize) -> Command {
        let mut command = Command::new(Vec::<OsString>::new(), root);
        command.isolation = Isolation::Plain;
        command.network = Network::Host;
        command.watch = self.watch.clone();
        command.limits.time = time;
        command.limits.output_bytes = output_bytes;
        command
    }

    /// The inspection after a tool's program: it looks for new names that other programs obey. For programs that run in
    /// another sandbox, such as a container.
    ///
    /// # Errors
    ///
    /// The search of the root fails.
    pub fn inspection(&self, root: &Path, tool: &str) -> Result<Option<Inspection>, Failure> {
        let mut paths = ProtectedPaths::of_tool(root, tool, &self.refused)?;
        Ok(paths.inspection(&self.writable(root)))
    }

    /// The settings that all programs share.
    fn program(&self, root: &Path, isolation: Isolation, may_connect: bool) -> Command {
        let sandbox = &self.settings.decided;
        let mut command = Command::new(Vec::<OsString>::new(), root);
        command.isolation = isolation;
        // A plain program cannot be cut off from the network.
        command.network = if may_connect || isolation == Isolation::Plain {
            Network::Host
        } else {
            Network::None
        };
        command.watch = self.watch.clone();
        command.read = vec![root.to_path_buf()];
        let read = sandbox.read.iter().filter(|path| path.is_absolute());
        command.read.extend(read.cloned());
        command.limits = ResourceLimits {
            memory_bytes: sandbox.memory_mb.saturating_mul(1 << 20),
            processes: sandbox.pids,
            file_bytes: sandbox.fsize_mb.saturating_mul(1 << 20),
            ..ResourceLimits::default()
        };
        command
    }
}

#[cfg(test)]
mod tests {
    use toolglot_policy::{Level, Sandbox, SandboxSettings};

    use super::*;

    /// If a tool is a shell, its command gets the isolation and the git settings of `execute_command`.
    #[test]
    fn the_command_of_a_tool_is_one_as_others() {
        let folder = tempfile::tempdir().expect("room for a folder");
        let root = folder.path().canonicalize().expect("it is there");
        for (level, text, expected) in [
            (Level::Landlock, Some("a | b"), Isolation::Landlock),
            (Level::Landlock, Some("echo $(a)"), Isolation::Namespaces),
            (Level::Landlock, Some("a && b *.c"), Isolation::Landlock),
            (Level::Landlock, None, Isolation::Landlock),
            (Level::Plain, Some("echo $(a)"), Isolation::Plain),
            (Level::Namespaces, Some("a"), Isolation::Namespaces),
        ] {
            let mut sandbox = ProgramSandbox::default();
            sandbox.settings.decided.level = level;
            let rights = ToolRights {
                tool: "t/run-it",
                may_write: false,
                may_connect: false,
                has_cache: false,
                command: text.map(|text| ToolCommand {
                    text,
                    cwd: Path::new(""),
                }),
                time: Duration::from_secs(1),
                output_bytes: 1,
            };
            let command = sandbox.tool(&root, &rights).expect("the folder is empty");
            assert_eq!(command.isolation, expected, "{level:?} {text:?}");
            let has_git = command
                .env
                .iter()
                .any(|(name, _)| name == "GIT_CONFIG_COUNT");
            assert_eq!(has_git, text.is_some(), "{level:?} {text:?}");
            assert_eq!(command.private_files.is_empty(), text.is_none());
        }
    }

    /// A program may replace a file that a variable names; at level `plain`, root cannot be stopped from that.
    #[test]
    fn no_variable_names_a_file_that_is_there() {
        let sandbox = ProgramSandbox {
            settings: SandboxSettings {
                decided: Sandbox {
                    level: Level::Plain,
                    env: Vec::new(),
                    ..Sandbox::default()
                },
                ..SandboxSettings::default()
            },
            ..ProgramSandbox::default()
        };
        let command = sandbox
            .command(Path::new("/"), Path::new(""), false)
            .expect("nothing is looked for");
        for (name, value) in command.env {
            let place = Path::new(&value);
            let is_there = place.is_absolute() && place.exists() && !place.is_dir();
            assert!(!is_there, "{name:?} is {value:?}");
        }
    }
}
