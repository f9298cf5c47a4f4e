//! The plan of a run: all that warden and program need, prepared before `fork`. After `fork` nothing may allocate.

use std::collections::BTreeSet;
use std::ffi::{CString, OsStr, c_char};
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::cgroup::Group;
use super::filter::{self, Sockets};
use super::landlock::{self, Rules};
use super::places;
use super::program;
use super::scratch::Scratch;
use super::step::{Step, setup};
use super::sys::{self, Resource};
use crate::{Command, Isolation, Network, SandboxError, Start};

/// The longest word that Linux passes to a program (`MAX_ARG_STRLEN`, with its zero byte).
const LONGEST_WORD: usize = 131_071;

/// Everything that warden and program need.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) program: CString,
    pub(super) argv: Words,
    pub(super) env: Words,
    pub(super) cwd: CString,
    pub(super) limits: Vec<(Resource, u64)>,
    pub(super) rules: Option<OwnedFd>,
    /// Rules about places that exist only after the mounts.
    pub(super) late_rules: Vec<(CString, u64)>,
    pub(super) filter: Vec<libc::sock_filter>,
    pub(super) sockets: Sockets,
    pub(super) mounts: Option<Mounts>,
    /// `uid_map` and `gid_map`.
    pub(super) id_maps: Option<[Vec<u8>; 2]>,
    pub(super) group: Option<Group>,
    /// A private directory, where there are no private mounts.
    pub(super) _scratch: Option<Scratch>,
    pub(super) isolation: Isolation,
}

/// Words for `execve`: the strings and the list of pointers to them, which ends in null.
#[derive(Debug)]
pub(super) struct Words {
    _texts: Vec<CString>,
    pub(super) pointers: Vec<*const c_char>,
}

#[expect(
    unsafe_code,
    reason = "a plan may be dropped by another thread than the one that made it"
)]
// SAFETY: the pointers lead into the strings beside them. Nothing changes the strings, and their bytes stay in place
// when the words are moved.
unsafe impl Send for Words {}

#[expect(unsafe_code, reason = "the owner of a plan may be shared by threads")]
// SAFETY: as above; nothing is changed through the pointers.
unsafe impl Sync for Words {}

/// The mounts of a namespace.
#[derive(Debug)]
pub(super) struct Mounts {
    /// Trees that are copied before the covers and placed after them; the outer ones first.
    pub(super) trees: Vec<Tree>,
    /// Directories that are covered by private empty ones.
    pub(super) covered: Vec<CString>,
    /// The directory that covers one of them in place of an empty one, because other commands share it.
    pub(super) shared: Option<Shared>,
    /// The options of `mount` that limit the size of each cover.
    pub(super) temporary: CString,
    /// Whether no file in the granted trees and the covers can be mapped as program code.
    pub(super) is_inert: bool,
    /// Directories to make inside the covers.
    pub(super) made: Vec<CString>,
    /// Empty files to make inside these directories.
    pub(super) files: Vec<CString>,
    pub(super) masks: Vec<(CString, bool)>,
    /// Paths that are bound on themselves, so that they cannot be moved; the flag makes them read-only.
    pub(super) pins: Vec<(CString, bool)>,
    /// Directories inside read-only places that may be changed.
    pub(super) reopened: Vec<CString>,
}

/// A directory for temporary files that several commands share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) path: CString,
    pub(super) copy: RawFd,
}

/// A directory or file that was granted.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) path: CString,
    pub(super) is_writable: bool,
    pub(super) is_directory: bool,
    /// Mount points to make, the outer ones first. The flag pins a directory, since other commands may be at work in
    /// the same directory.
    pub(super) makes: Vec<(CString, bool)>,
    pub(super) copy: RawFd,
}

impl Plan {
    /// Looks up and prepares everything.
    pub(super) fn new(command: &Command) -> Result<Plan, SandboxError> {
        check_level(command)?;
        let isolation = command.isolation;
        let read = existing(&command.read);
        let write = existing(&command.write);
        let cwd = command
            .cwd
            .canonicalize()
            .map_err(|error| setup(Step::Directory, Some(&command.cwd), error))?;
        let needs_scratch = isolation != Isolation::Namespaces && command.temporary.is_none();
        let scratch = needs_scratch.then(Scratch::new).transpose()?;
        let home = match (isolation, &scratch, &command.temporary) {
            (Isolation::Plain | Isolation::Landlock, Some(own), _) => own.path(),
            (Isolation::Plain | Isolation::Landlock, None, Some(shared)) => shared,
            _ => Path::new(places::HOME),
        };
        let mut env = command.env.clone();
        for name in ["HOME", "TMPDIR"] {
            if !env.iter().any(|(known, _)| known == name) {
                env.push((name.into(), home.into()));
            }
        }
        for (variable, name) in &command.private_files {
            let path = home.join(name);
            if isolation != Isolation::Namespaces {
                make_empty(&path)?;
            }
            env.retain(|(known, _)| known != variable);
            env.push((variable.clone(), path.into()));
        }
        let is_sandboxed = isolation >= Isolation::Landlock;
        let system = places::readable(command.network);
        let reach: Option<Vec<&Path>> = is_sandboxed.then(|| {
            let all = system.iter().chain(&read).chain(&write);
            all.map(PathBuf::as_path).collect()
        });
        if let Some(reach) = &reach {
            for (_, value) in env.iter_mut().filter(|(name, _)| name == "PATH") {
                *value = program::reachable(value, reach);
            }
        }
        let program = program::find(&command.argv[0], &env, &cwd, reach.as_deref())?;
        let rules = is_sandboxed
            .then(|| rules(command, &program, [&system, &read, &write], home))
            .transpose()?;
        let (rules, late_rules) = match rules {
            Some((rules, late)) => (Some(rules.ruleset), late),
            None => (None, Vec::new()),
        };
        let sockets = Sockets::of(command);
        let is_root = sys::ids().0 == 0;
        let group = Group::new(&command.limits);
        let limits = limits(command, group.is_some(), is_root);
        let (mounts, id_maps) = match isolation {
            Isolation::Namespaces => (Some(Mounts::new(command, &read, &write)?), Some(id_maps())),
            Isolation::Plain | Isolation::Landlock => (None, None),
        };
        Ok(Plan {
            program: c_path(&program)?,
            argv: Words::new(
                "an argument",
                command.argv.iter().map(|word| word.as_bytes().to_vec()),
            )?,
            env: Words::new(
                "the environment",
                env.iter()
                    .map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat()),
            )?,
            cwd: c_path(&cwd)?,
            limits,
            rules,
            late_rules,
            filter: if is_sandboxed {
                filter::filter(sockets)
            } else {
                filter::set_id_filter()
            },
            sockets,
            mounts,
            id_maps,
            group,
            _scratch: scratch,
            isolation,
        })
    }

    /// Flags of `clone` for the warden.
    pub(super) fn namespaces(&self, network: Network) -> i32 {
        if self.isolation != Isolation::Namespaces {
            return 0;
        }
        let all = libc::CLONE_NEWUSER
            | libc::CLONE_NEWPID
            | libc::CLONE_NEWNS
            | libc::CLONE_NEWIPC
            | libc::CLONE_NEWUTS;
        match network {
            Network::None => all | libc::CLONE_NEWNET,
            Network::Host => all,
        }
    }

    /// Descriptors that the warden must not close.
    pub(super) fn descriptors(&self) -> impl Iterator<Item = RawFd> {
        let group = self
            .group
            .as_ref()
            .map(Group::descriptors)
            .unwrap_or_default();
        self.rules
            .iter()
            .map(AsRawFd::as_raw_fd)
            .chain(group.iter().map(AsRawFd::as_raw_fd))
    }

    /// The path of a failed step.
    pub(super) fn about(&self, step: Step, about: u8) -> Option<PathBuf> {
        let index = usize::from(about);
        let mounts = self.mounts.as_ref();
        let path = match step {
            Step::CopyTree | Step::PlaceTree => mounts
                .and_then(|mounts| mounts.trees.get(index))
                .map(|tree| &tree.path),
            Step::Temporary => mounts.and_then(|mounts| mounts.covered.get(index)),
            Step::Mask => mounts
                .and_then(|mounts| mounts.masks.get(index))
                .map(|(path, _)| path),
            Step::Protect => mounts
                .and_then(|mounts| mounts.pins.get(index))
                .map(|(path, _)| path),
            Step::Directory => Some(&self.cwd),
            _ => None,
        };
        path.map(|path| PathBuf::from(OsStr::from_bytes(path.as_bytes())))
    }
}

impl Words {
    fn new(
        what: &'static str,
        words: impl Iterator<Item = Vec<u8>>,
    ) -> Result<Words, SandboxError> {
        let mut texts = Vec::new();
        for word in words {
            if word.len() > LONGEST_WORD {
                return Err(SandboxError::ArgumentTooLong { bytes: word.len() });
            }
            texts.push(CString::new(word).map_err(|_| SandboxError::ZeroByte { what })?);
        }
        // The strings stay in place on the heap when the list is moved.
        let pointers = texts
            .iter()
            .map(|text| text.as_ptr())
            .chain([std::ptr::null()])
            .collect();
        Ok(Words {
            _texts: texts,
            pointers,
        })
    }
}

impl Mounts {
    fn new(command: &Command, read: &[PathBuf], write: &[PathBuf]) -> Result<Mounts, SandboxError> {
        let covered: Vec<PathBuf> = places::COVERED
            .iter()
            .map(PathBuf::from)
            .filter(|path| {
                path.symlink_metadata()
                    .is_ok_and(|metadata| metadata.is_dir())
            })
            .collect();
        let cover_of = |path: &Path| covered.iter().find(|cover| path.starts_with(cover));
        let mut places = BTreeSet::new();
        for path in write {
            places.insert((path, true));
        }
        for path in read {
            // Outside of the covers the path is visible, and the Landlock rules decide who may read it.
            if cover_of(path).is_some() && !write.contains(path) {
                places.insert((path, false));
            }
        }
        let mut trees = Vec::new();
        let mut pinned: BTreeSet<PathBuf> = BTreeSet::new();
        for (path, is_writable) in places {
            if covered.iter().any(|cover| cover.starts_with(path)) && !is_writable {
                continue;
            }
            let is_directory = path.is_dir();
            let mut makes = Vec::new();
            if let Some(cover) = cover_of(path) {
                let inside: Vec<&Path> = path
                    .ancestors()
                    .take_while(|above| above != cover)
                    .collect();
                let is_shared =
                    command.temporary.is_some() && cover == Path::new(places::TEMPORARY);
                for made in inside.into_iter().rev() {
                    if pinned.insert(made.to_path_buf()) {
                        makes.push((c_path(made)?, is_shared && made != path));
                    }
                }
            }
            trees.push(Tree {
                path: c_path(path)?,
                is_writable,
                is_directory,
                makes,
                copy: -1,
            });
        }
        let mut masks = Vec::new();
        for path in existing(&command.mask) {
            masks.push((c_path(&path)?, path.is_dir()));
        }
        let home = Path::new(places::HOME);
        let (mut made, mut files) = (Vec::new(), Vec::new());
        if covered.iter().any(|cover| home.starts_with(cover)) {
            made.push(c_path(home)?);
            for (_, name) in &command.private_files {
                files.push(c_path(&home.join(name))?);
            }
        }
        let shared = command
            .temporary
            .as_deref()
            .filter(|_| {
                covered
                    .iter()
                    .any(|cover| cover == Path::new(places::TEMPORARY))
            })
            .map(|path| {
                Ok(Shared {
                    path: c_path(path)?,
                    copy: -1,
                })
            })
            .transpose()?;
        Ok(Mounts {
            is_inert: command.start == Start::Itself,
            shared,
            trees,
            temporary: CString::new(format!(
                "mode=0700,nr_inodes=65536,size={}",
                command.limits.temporary_bytes
            ))
            .expect("a number holds no zero byte"),
            covered: covered
                .iter()
                .map(|path| c_path(path))
                .collect::<Result<_, _>>()?,
            made,
            files,
            masks,
            pins: pins(&existing(&command.protect), &existing(&command.hold), write)?,
            reopened: reopened(command, write)?,
        })
    }
}

/// Makes an empty file in a private directory, unless an earlier command made it. It follows no link.
fn make_empty(path: &Path) -> Result<(), SandboxError> {
    match std::fs::File::create_new(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(setup(Step::Temporary, Some(path), error))
        }
        _ => Ok(()),
    }
}

/// The pins: protected paths (read-only), held paths, and every directory between these and a writable place, so that
/// none is moved away with them.
fn pins(
    protect: &[PathBuf],
    hold: &[PathBuf],
    write: &[PathBuf],
) -> Result<Vec<(CString, bool)>, SandboxError> {
    let mut pins: BTreeSet<(&Path, bool)> = BTreeSet::new();
    let protected = protect.iter().map(|path| (path, true));
    for (path, is_read_only) in protected.chain(hold.iter().map(|path| (path, false))) {
        let Some(top) = write.iter().find(|top| path.starts_with(top)) else {
            continue;
        };
        if is_read_only {
            pins.insert((path, true));
        }
        for above in path
            .ancestors()
            .skip(usize::from(is_read_only))
            .take_while(|above| above != top && above.starts_with(top))
        {
            if !protect.iter().any(|other| other == above) {
                pins.insert((above, false));
            }
        }
    }
    pins.into_iter()
        .map(|(path, is_read_only)| Ok((c_path(path)?, is_read_only)))
        .collect()
}

/// The reopened directories: inside a writable place, and with no link in their path.
fn reopened(command: &Command, write: &[PathBuf]) -> Result<Vec<CString>, SandboxError> {
    let is_below = |path: &&PathBuf| write.iter().any(|top| path.starts_with(top));
    let is_plain = |path: &&PathBuf| fs::canonicalize(path).is_ok_and(|real| real == **path);
    let reopened = command.reopen.iter().filter(is_below).filter(is_plain);
    reopened.map(|path| c_path(path)).collect()
}

/// Refuses a command that requests more than its level can do.
fn check_level(command: &Command) -> Result<(), SandboxError> {
    let layers = super::layers();
    if let Some(layer) = layers.missing(command.isolation) {
        return Err(SandboxError::Missing {
            layer: layer.name,
            why: layer.found.clone().err().unwrap_or_default(),
            level: command.isolation,
        });
    }
    if command.isolation < Isolation::Namespaces
        && !(command.mask.is_empty() && command.protect.is_empty() && command.hold.is_empty())
    {
        return Err(SandboxError::NeedsLevel {
            what: "keeping files inside the granted directories from a program",
            needs: Isolation::Namespaces,
        });
    }
    if command.isolation < Isolation::Landlock && command.start == Start::Itself {
        return Err(SandboxError::NeedsLevel {
            what: "keeping a program from starting others",
            needs: Isolation::Landlock,
        });
    }
    if command.isolation < Isolation::Landlock && command.network == Network::None {
        return Err(SandboxError::NeedsLevel {
            what: "keeping a program from the network",
            needs: Isolation::Landlock,
        });
    }
    Ok(())
}

/// The rules for files, and the rules that are added after the mounts.
type AllRules = (Rules, Vec<(CString, u64)>);

fn rules(
    command: &Command,
    program: &Path,
    [system, read, write]: [&[PathBuf]; 3],
    home: &Path,
) -> Result<AllRules, SandboxError> {
    let failed = |error| setup(Step::Rules, None, io::Error::from_raw_os_error(error));
    let rules = Rules::new(Sockets::of(command)).map_err(failed)?;
    let started = match command.start {
        Start::Any => !0,
        Start::Itself => !landlock::EXECUTE,
    };
    let allow = |path: &Path, rights| rules.allow(&c_path(path)?, rights).map_err(failed);
    for path in system.iter().chain(read) {
        allow(path, landlock::READ & started)?;
    }
    for path in write {
        allow(path, landlock::CHANGE & started)?;
    }
    if command.start == Start::Itself {
        allow(program, landlock::READ)?;
        // The kernel starts the loader in place of the program.
        if let Some(loader) = program::loader(program) {
            allow(&loader, landlock::READ)?;
        }
    }
    for device in places::DEVICES {
        allow(Path::new(device), landlock::DEVICE)?;
    }
    let mut late = Vec::new();
    if command.isolation == Isolation::Namespaces {
        for cover in places::COVERED {
            late.push(rules.later(c_path(Path::new(cover))?, landlock::CHANGE & started));
        }
        late.push(rules.later(c_path(Path::new("/proc"))?, landlock::READ & started));
    } else {
        allow(home, landlock::CHANGE & started)?;
        late.push(rules.later(c_path(Path::new("/proc/self"))?, landlock::READ));
        for path in places::PROC {
            allow(Path::new(path), landlock::READ)?;
        }
    }
    Ok((rules, late))
}

fn limits(command: &Command, has_group: bool, is_root: bool) -> Vec<(Resource, u64)> {
    let limits = &command.limits;
    let cpu = limits.time.as_secs().saturating_add(2);
    let mut all = vec![
        (libc::RLIMIT_CORE as Resource, 0),
        (libc::RLIMIT_FSIZE as Resource, limits.file_bytes),
        (libc::RLIMIT_NOFILE as Resource, limits.open_files),
        (libc::RLIMIT_DATA as Resource, limits.memory_bytes),
        (
            libc::RLIMIT_CPU as Resource,
            cpu.saturating_mul(u64::from(limits.processes.max(1))),
        ),
        (libc::RLIMIT_MEMLOCK as Resource, 64 << 10),
        (libc::RLIMIT_MSGQUEUE as Resource, 0),
    ];
    // The limit has no effect on root. Without a namespace the limit counts all of the user's processes.
    if !is_root {
        let others = if command.isolation == Isolation::Namespaces {
            0
        } else {
            program::n_own_tasks()
        };
        if command.isolation == Isolation::Namespaces || !has_group {
            all.push((
                libc::RLIMIT_NPROC as Resource,
                u64::from(limits.processes) + others,
            ));
        }
    }
    for (resource, value) in &mut all {
        *value = (*value).min(sys::hard_limit(*resource));
    }
    all
}

/// The user keeps the same id, alone in the namespace.
fn id_maps() -> [Vec<u8>; 2] {
    let (user, group) = sys::ids();
    [
        format!("{user} {user} 1\n").into_bytes(),
        format!("{group} {group} 1\n").into_bytes(),
    ]
}

/// The paths that exist, with links resolved.
fn existing(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut existing: Vec<PathBuf> = paths
        .iter()
        .filter_map(|path| fs::canonicalize(path).ok())
        .collect();
    existing.sort();
    existing.dedup();
    existing
}

pub(super) fn c_path(path: &Path) -> Result<CString, SandboxError> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| SandboxError::ZeroByte { what: "a path" })
}

#[cfg(test)]
#[expect(clippy::print_stderr, reason = "a skipped test is reported loudly")]
mod tests {
    use super::*;

    /// Each request that only some levels can enforce, with the weakest such level.
    #[test]
    fn a_level_is_refused_what_it_cannot_do() {
        type Change = fn(&mut Command);
        let cases: [(&str, Change, Isolation); 6] = [
            ("nothing", |_| (), Isolation::Plain),
            ("start", |c| c.start = Start::Itself, Isolation::Landlock),
            (
                "network",
                |c| c.network = Network::None,
                Isolation::Landlock,
            ),
            (
                "mask",
                |c| c.mask = vec!["/a".into()],
                Isolation::Namespaces,
            ),
            (
                "protect",
                |c| c.protect = vec!["/a".into()],
                Isolation::Namespaces,
            ),
            (
                "hold",
                |c| c.hold = vec!["/a".into()],
                Isolation::Namespaces,
            ),
        ];
        for level in [Isolation::Plain, Isolation::Landlock, Isolation::Namespaces] {
            if let Some(missing) = super::super::layers().missing(level) {
                eprintln!("SKIPPED: no {} here: {missing:?}", level.word());
                continue;
            }
            for (what, change, weakest) in cases {
                let mut command = Command::new(["true"], "/");
                command.isolation = level;
                command.network = Network::Host;
                change(&mut command);
                match check_level(&command) {
                    Ok(()) => assert!(level >= weakest, "{what}, {}", level.word()),
                    Err(SandboxError::NeedsLevel { needs, .. }) => {
                        assert!(level < weakest, "{what}, {}", level.word());
                        assert_eq!(needs, weakest, "{what}");
                    }
                    Err(other) => panic!("{what}, {}: {other}", level.word()),
                }
            }
        }
    }

    #[test]
    fn limits_are_those_of_the_command() {
        let mut command = Command::new(["true"], "/");
        command.limits.time = std::time::Duration::from_secs(3);
        command.limits.processes = 4;
        command.limits.file_bytes = 1 << 20;
        command.limits.memory_bytes = 64 << 20;
        command.limits.open_files = 20;
        let of = |command: &Command, has_group, is_root, resource| {
            limits(command, has_group, is_root)
                .into_iter()
                .find_map(|(name, value)| (name == resource as Resource).then_some(value))
        };
        for (resource, value) in [
            (libc::RLIMIT_CORE, 0),
            (libc::RLIMIT_FSIZE, 1 << 20),
            (libc::RLIMIT_NOFILE, 20),
            (libc::RLIMIT_DATA, 64 << 20),
            (libc::RLIMIT_CPU, 20),
            (libc::RLIMIT_MEMLOCK, 64 << 10),
            (libc::RLIMIT_MSGQUEUE, 0),
        ] {
            let value = value.min(sys::hard_limit(resource as Resource));
            assert_eq!(
                of(&command, false, true, resource),
                Some(value),
                "{resource}"
            );
        }
        // A control group replaces the limit; root has no such limit; without a namespace the user's other processes
        // count too.
        for (level, has_group, is_root, expected) in [
            (Isolation::Namespaces, true, true, None),
            (Isolation::Landlock, false, true, None),
            (Isolation::Namespaces, true, false, Some(4..=4)),
            (Isolation::Namespaces, false, false, Some(4..=4)),
            (Isolation::Landlock, true, false, None),
            (Isolation::Landlock, false, false, Some(5..=u64::MAX)),
            (Isolation::Plain, false, false, Some(5..=u64::MAX)),
        ] {
            command.isolation = level;
            let limit = of(&command, has_group, is_root, libc::RLIMIT_NPROC);
            assert!(
                match (&limit, &expected) {
                    (Some(limit), Some(expected)) => expected.contains(limit),
                    (limit, expected) => limit.is_none() && expected.is_none(),
                },
                "{}, group {has_group}, root {is_root}: {limit:?}",
                level.word()
            );
        }
    }

    #[test]
    fn a_failed_step_names_its_path() {
        let base = tempfile::tempdir().expect("a directory");
        let base = base.path().canonicalize().expect("it is there");
        for name in ["ws", "ws/.git", "ws/keys"] {
            std::fs::create_dir(base.join(name)).expect("made");
        }
        let mut command = Command::new(["true"], base.join("ws"));
        command.isolation = Isolation::Namespaces;
        command.env = vec![("PATH".into(), "/usr/bin:/bin".into())];
        command.write = vec![base.join("ws")];
        command.protect = vec![base.join("ws/.git")];
        command.mask = vec![base.join("ws/keys")];
        let plan = match Plan::new(&command) {
            Ok(plan) => plan,
            Err(refusal) => {
                eprintln!("SKIPPED: no namespaces here: {refusal}");
                return;
            }
        };
        let mounts = plan.mounts.as_ref().expect("a level with mounts");
        let path = |path: &CString| Some(PathBuf::from(OsStr::from_bytes(path.as_bytes())));
        for (step, expected) in [
            (Step::CopyTree, path(&mounts.trees[0].path)),
            (Step::PlaceTree, path(&mounts.trees[0].path)),
            (Step::Temporary, path(&mounts.covered[0])),
            (Step::Mask, Some(base.join("ws/keys"))),
            (Step::Protect, path(&mounts.pins[0].0)),
            (Step::Directory, Some(base.join("ws"))),
            (Step::Exec, None),
        ] {
            assert_eq!(plan.about(step, 0), expected, "{step:?}");
            if step != Step::Directory {
                assert_eq!(plan.about(step, u8::MAX), None, "{step:?}");
            }
        }
        let all = libc::CLONE_NEWUSER
            | libc::CLONE_NEWPID
            | libc::CLONE_NEWNS
            | libc::CLONE_NEWIPC
            | libc::CLONE_NEWUTS;
        assert_eq!(plan.namespaces(Network::Host), all);
        assert_eq!(plan.namespaces(Network::None), all | libc::CLONE_NEWNET);
    }
}
