//! Places that every program needs, and places that none may share.

use std::path::PathBuf;

use crate::Network;

/// Programs, libraries, and settings that are not secret. Not `/etc` as a whole: it holds keys and passwords.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/etc/alternatives",
    "/etc/bash.bashrc",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/crypto-policies",
    "/etc/debian_version",
    "/etc/fonts",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hostname",
    "/etc/hosts",
    "/etc/inputrc",
    "/etc/java",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/lsb-release",
    "/etc/machine-id",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/perl",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/certs",
    "/etc/profile",
    "/etc/profile.d",
    "/etc/protocols",
    "/etc/python3",
    "/etc/python3.11",
    "/etc/python3.12",
    "/etc/python3.13",
    "/etc/services",
    "/etc/shells",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/etc/timezone",
    "/etc/xdg",
    "/var/lib/dpkg",
    "/sys/devices/system/cpu",
];

/// Files that a program needs besides [`SYSTEM`] to resolve host names.
const RESOLVER: &[&str] = &["/etc/resolv.conf", "/etc/gai.conf"];

/// Devices that only produce or accept bytes.
pub(super) const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// Directories that a namespace covers with empty ones: shared places, and other programs' sockets.
pub(super) const COVERED: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/run"];

/// The covered directory where programs leave temporary files.
pub(super) const TEMPORARY: &str = "/tmp";

/// The home of a program in a namespace, inside [`TEMPORARY`].
pub(super) const HOME: &str = "/tmp/home";

/// The parts of `/proc` that a program without a namespace may read, besides its own.
pub(super) const PROC: [&str; 8] = [
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/loadavg",
    "/proc/uptime",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys/kernel",
];

/// The places that every program may read, with links resolved.
pub(super) fn readable(network: Network) -> Vec<PathBuf> {
    let resolver = match network {
        Network::None => &[][..],
        Network::Host => RESOLVER,
    };
    let places = SYSTEM.iter().chain(resolver).map(PathBuf::from);
    places
        .filter_map(|place| place.canonicalize().ok())
        .collect()
}
