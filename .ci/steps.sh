# What the scripts of this folder share: they name what is missing with the command that installs it, and install nothing.
# shellcheck shell=bash

left_out=()

step() { printf '\n== %s\n' "$*"; }

# leave_out WHAT COMMAND: goes on without what only some machines have, and says so now and at the end.
leave_out() {
    printf '!! LEFT OUT: %s; install it with: %s\n' "$1" "$2" >&2
    left_out+=("$1; $2")
}

has() { "$@" >/dev/null 2>&1; }

# need INSTALL COMMAND..: ends here if the command does not run.
need() {
    if ! has "${@:2}"; then
        printf 'missing: `%s`; install it with: %s\n' "$2" "$1" >&2
        exit 2
    fi
}

# Whether Rust's standard library is there for a target.
has_target() {
    rustc --print target-libdir --target "$1" 2>/dev/null | xargs -r test -d
}

summary() {
    printf '\nall checks passed in %d min %02d s\n' $((SECONDS / 60)) $((SECONDS % 60))
    local what
    for what in ${left_out[@]+"${left_out[@]}"}; do
        printf 'left out: %s\n' "$what"
    done
}

need 'curl https://sh.rustup.rs -sSf | sh' cargo --version
# The grammars that read tool files, and the cryptography of TLS, are C; the system's linker comes with its compiler.
need 'apt-get install gcc (macOS: xcode-select --install)' "${CC:-cc}" --version
