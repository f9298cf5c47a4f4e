//! Places that every program needs, and places that none may share.

use std::path::PathBuf;

use crate::Network;

/// What programs are made of, and the settings that are no secrets. Not `/etc` as a whole: it holds keys and passwords.
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

/// What a program needs beside that to find hosts by their names.
const RESOLVER: &[&str] = &["/etc/resolv.conf", "/etc/gai.conf"];

/// Devices that give and take bytes and do nothing else.
pub(super) const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// What a namespace covers with empty directories: shared places, and other programs' sockets.
pub(super) const COVERED: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/run"];

/// Of the covered the one where programs leave temporary files.
pub(super) const TEMPORARY: &str = "/tmp";

/// The home of a program in a namespace, inside it.
pub(super) const HOME: &str = "/tmp/home";

/// What a program without a namespace may see of `/proc`, besides itself.
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

/// What every program may read, with links followed.
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
