//! The commands in any text that a shell might run.

use super::builtins::builtin;
use super::inner::{self, Inner};
use super::shell::{self, Simple, Variables, is_unknown, shown};

/// The maximum number of nested texts: an honest command has fewer.
const MOST_TEXTS: usize = 256;

/// The maximum number of commands.
const MOST_COMMANDS: usize = 16 * MOST_TEXTS;

/// The maximum number of words in nested commands.
const MOST_WORDS: usize = 1 << 16;

/// The commands in a text that a shell might run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Every command found, with its words: first the commands of the text, then the commands inside of them. A zero
    /// byte replaces a part that only the shell knows, since no argument can contain one. Outside of quotes the part
    /// may be several words or none.
    pub commands: Vec<Vec<String>>,
    /// The targets of redirections.
    pub targets: Vec<String>,
    /// Whether the text holds more than one command's words: operators, redirections, substitutions. Parentheses alone
    /// do not count, as in AXE.
    pub needs_shell: bool,
    /// Why it is unknown what runs: the text does not show a command, or shells may read the text differently. A rule
    /// that denies commands denies a text with a doubt.
    pub doubts: Vec<String>,
}

/// A text that is still to be read.
enum Piece {
    /// A script.
    Script(String),
    /// A text in which only substitutions count.
    Data(String),
}

impl Survey {
    /// Reads a text. Complexity: the length of the text and of the texts in it.
    pub(super) fn read(text: &str) -> Survey {
        let mut survey = Survey::default();
        let mut variables = Variables::default();
        let mut pieces = vec![Piece::Script(text.to_owned())];
        let mut n_texts = 0;
        while let Some(piece) = pieces.pop() {
            n_texts += 1;
            if n_texts > MOST_TEXTS {
                survey.doubt("more texts within texts than can be looked at");
                break;
            }
            let script = match &piece {
                Piece::Script(text) => {
                    if is_unknown(text) {
                        survey.doubt("a script that is not fully literal");
                    }
                    shell::read(text)
                }
                Piece::Data(text) => shell::read_data(text),
            };
            if n_texts == 1 && script.commands.is_empty() {
                survey.doubt("a text without a command");
            }
            survey.needs_shell |= script.needs_shell;
            survey.targets.extend(script.targets);
            for why in script.doubts {
                survey.doubt(&why);
            }
            variables.merge(script.variables);
            pieces.extend(script.scripts.into_iter().map(Piece::Script));
            pieces.extend(script.data.into_iter().map(Piece::Data));
            survey.look_into(script.commands, &mut pieces, &mut variables);
        }
        if let Some(written) = survey.written_program() {
            let why = format!("`{}` may be written by the text itself", shown(&written));
            survey.doubt(&why);
        }
        if variables.is_doubtful() {
            survey.doubt("arithmetic with a variable that may hold more than a number");
        }
        survey
    }

    /// Adds commands, and the commands inside of them: the list grows during the loop.
    fn look_into(
        &mut self,
        mut commands: Vec<Simple>,
        pieces: &mut Vec<Piece>,
        variables: &mut Variables,
    ) {
        let mut index = 0;
        let mut n_words = 0;
        while let Some(command) = commands.get(index).cloned() {
            index += 1;
            if self.commands.len() >= MOST_COMMANDS || n_words > MOST_WORDS {
                self.doubt("more commands than can be looked at");
                return;
            }
            if let Some(why) = builtin(&command, variables) {
                self.doubt(&why);
            }
            for inner in inner::inner(&command) {
                match inner {
                    Inner::Command(words) => {
                        let program = words.first().map_or("", |program| inner::base(program));
                        if is_unknown(program) {
                            self.doubt(&format!("`{}` where a program belongs", shown(program)));
                        }
                        n_words += words.len();
                        commands.push(Simple {
                            words,
                            assignments: Vec::new(),
                            input: command.input.clone(),
                        });
                    }
                    Inner::Text(text) => pieces.push(Piece::Script(text)),
                    Inner::Data(text) => pieces.push(Piece::Data(text)),
                    Inner::Unknown(why) => self.doubt(&why),
                }
            }
            if !command.words.is_empty() {
                self.commands.push(command.words);
            }
        }
    }

    /// The first program, or file that a program runs, that a redirection of the same text writes.
    fn written_program(&self) -> Option<String> {
        let targets: std::collections::BTreeSet<&str> = self
            .targets
            .iter()
            .map(|target| inner::base(target))
            .collect();
        let is_written = |word: &&String| targets.contains(inner::base(word));
        let programs = self.commands.iter().filter_map(|words| words.first());
        let mut programs = programs.filter(|program| program.contains('/'));
        let mut files = self
            .commands
            .iter()
            .filter_map(|words| inner::script(words));
        let found = programs.find(is_written).or_else(|| files.find(is_written));
        found.cloned()
    }

    /// Adds a doubt; only the first few are stored.
    fn doubt(&mut self, why: &str) {
        if self.doubts.len() < 8 && !self.doubts.iter().any(|known| known == why) {
            self.doubts.push(why.to_owned());
        }
    }

    /// The names of the programs, without their directories, in order of appearance, each once.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for command in &self.commands {
            let name = command.first().map_or("", |program| inner::base(program));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::Survey;

    #[test]
    fn commands_are_found_wherever_they_hide() {
        let cases = [
            ("ls -la", "ls"),
            ("a | b && c; d & e\nf", "a b c d e f"),
            ("(a | b) || ((c))", "a b c"),
            ("a<b>c 2>&1", "a"),
            ("sudo -u x rm y", "sudo rm"),
            ("env -i A=1 rm x", "env rm"),
            ("env -S 'rm x'", "env rm"),
            ("env -iS'rm x'", "env rm"),
            ("timeout -k 1 5 nice -n 3 rm x", "timeout nice rm"),
            ("x | xargs -n 1 -I{} rm {}", "x xargs rm"),
            ("bash -lc \"rm x; ls\"", "bash rm ls"),
            ("sh -c 'bash -c \"rm x\"'", "sh bash rm"),
            ("echo $(rm x)", "echo rm"),
            ("echo \"`rm x`\"", "echo rm"),
            ("echo ${x:=$(rm x)}", "echo rm"),
            ("cat <(rm x)", "cat rm"),
            ("cat <<EOF\n$(rm x)\nEOF\nls", "cat ls rm"),
            ("cat <<'EOF'\n$(rm x)\nEOF", "cat"),
            ("cat << EOF > out.txt\nrm -rf /\nEOF", "cat"),
            ("grep<<<'text'", "grep"),
            ("find . -exec rm {} \\;", "find rm"),
            (
                "find . -name x -execdir sh -c 'rm y' ';' -o -ok z +",
                "find sh z rm",
            ),
            ("git grep -Orm x", "git rm"),
            ("git grep -eTODO x", "git"),
            ("git log -STODO -u", "git"),
            ("git push -u origin", "git"),
            ("git rebase -x 'rm x' main", "git rm"),
            ("eval rm x", "eval rm"),
            ("trap 'rm x' EXIT", "trap rm"),
            ("! rm x", "rm"),
            ("{ rm x; }", "rm"),
            ("if a; then rm x; fi", "a rm"),
            ("for i in 1 2; do rm $i; done", "rm"),
            ("while true; do rm x; done", "true rm"),
            ("case x in x) rm x;; esac", "rm"),
            ("A=1 B=2 rm x", "rm"),
            ("r\\m x", "rm"),
            ("'r'm x", "rm"),
            ("/bin/rm x", "rm"),
            ("busybox rm x", "busybox rm"),
            (
                "/lib64/ld-linux-x86-64.so.2 /bin/rm x",
                "ld-linux-x86-64.so.2 rm",
            ),
            ("tar cf x --checkpoint-action=exec='rm x' y", "tar rm"),
            ("tar -I 'rm x' -cf y", "tar rm"),
            ("watch 'ls; rm x'", "watch ls rm"),
            ("git -c alias.x='!rm y' x", "git rm"),
            ("rsync -e 'rm x' a b", "rsync rm"),
            ("rg --pre=rm x", "rg rm"),
            ("prlimit --cpu=1 rm x", "prlimit rm"),
            ("git status # rm x", "git"),
            ("echo 'a; rm x'", "echo"),
            ("a &> b", "a"),
        ];
        for (text, names) in cases {
            assert_eq!(Survey::of(text).names().join(" "), names, "{text}");
        }
    }

    #[test]
    fn every_spelling_of_a_command_is_found_or_doubted() {
        for text in [
            "FOO=\"a b\" rm x",
            "FOO=\"\" rm x",
            "A=1 B='c' rm x",
            "FOO+=\"a\" rm x",
            "(FOO=\"a b\" rm x)",
            "if FOO='' rm x; then :; fi",
            "while FOO='a' rm x; do break; done",
            "case a in a) FOO='b' rm x;; esac",
            "case a in (b|c) ls;; a) rm x; esac",
            "case a in esac; rm x",
            "FOO=\"\" xargs rm",
            "FOO=\"\" bash -c \"rm x\"",
            "bash -c 'FOO=\"a\" rm x'",
            "trap 'FOO=\"a\" rm x' EXIT",
            "trap -- 'rm x' EXIT",
            "time FOO=1 rm x",
            "time -p FOO=1 rm x",
            "! time rm x",
            "$'rm' x",
            "$'\\x72m' x",
            "$'\\162\\u006d' x",
            "$\"rm\" x",
            "\"r\"'m' x",
            "r\\\nm x",
            "<<<\"a b\" rm x",
            "<<< a rm x",
            "{fd}>o rm x",
            "2>o rm x",
            ">o <i rm x",
            "&>o rm x",
            "<<E rm x\nE",
            "cat <<E; rm x\nfoo\nE",
            "cat <<-E\n\tfoo\n\tE\nrm x",
            "cat <<'E'\n$(\nE\nrm x",
            "cat <<E\n`rm x`\nE",
            "cat <<E\n${y:-$(rm x)}\nE",
            "function f { rm x; }; f",
            "function f() { rm x; }; f",
            "f() { rm x; }; f",
            "f () ( rm x ); f",
            "f()\n{\nrm x\n}\nf",
            "coproc rm x",
            "coproc N { rm x; }",
            "coproc N (rm x)",
            "for i in a b; do rm $i; done",
            "for i; do rm x; done",
            "for ((i=0; i<3; i++)); do rm x; done",
            "select i in a; do rm x; done",
            "until rm x; do :; done",
            "[[ a < b ]] && rm x",
            "[[ a =~ ^(a|b)$ ]]&& rm x",
            "((1 << 2))\nrm x\n2",
            "((a=1)); rm x",
            "a=(b c) rm x",
            "a=(b\nc)\nrm x",
            "a[0]=1 rm x",
            "bash <<< 'rm x'",
            "sh <<'E'\nrm x\nE",
            "sh -s <<E\nrm x\nE",
            "echo a \\\n&& rm x",
            "echo $(case a in a) rm x;; esac)",
            "echo \"$(echo \")\"; rm x)\"",
            "echo ${a:-\"}\"} ; rm x",
            "echo ${x:-$'a}'}; rm x",
            "echo '#'; rm x # y",
            "echo a#b; rm x",
            "x=$(rm y) ls",
            "x=\"`rm y`\" ls",
            "cat <(A='' rm x) >(cat)",
            "ls 2>&1 | A='' rm x",
            "ls |& rm x",
            "exec rm x",
            "env -u A B='c d' rm x",
            "xargs -0n 1 rm",
            "xargs --replace rm {}",
            "timeout --kill 5 10 rm x",
            "sudo -nu user A=1 rm x",
            "ssh -p 22 host rm x",
            "watch -n 1 rm x",
            "PAGER='rm x' man ls",
            "GIT_EXTERNAL_DIFF='rm x' git diff",
            "export GIT_PAGER='rm x'",
            "$HOME/bin/rm x",
            "\"$DIR\"/rm x",
            "git submodule foreach 'rm x'",
            "git -c protocol.ext.allow=always ls-remote 'ext::rm x'",
            "npx -c 'rm x'",
            "gdb -batch -ex 'shell rm x'",
            "echo \"$(<<E cat\nE\n)\"; rm x",
            "env - rm x",
            "bash -ce 'rm x'",
            "bash -co pipefail 'rm x'",
            "stdbuf --output 0 rm x",
            "ionice --class 3 rm x",
            "ld.so /bin/rm x",
            "env --split 'rm x'",
            "xargs --arg-file list rm x",
            "tar cf y --checkpoint=1 --checkpoint-act=exec='rm x' z",
            "tar cfI y 'rm x' z",
            "tar --to-comm 'rm x' -xf y",
            "split --filt='rm x' y",
            "ssh -o 'ProxyCommand rm x' h ls",
            "scp -oproxycommand='rm x' a h:",
            "vim -es -c ':!rm x' -c q",
            "setarch -R rm x",
            "git -c core.sshCommand='rm x' fetch",
            "git ls-remote --upload='rm x' y",
            "git filter-branch --tree-filter 'rm x'",
            "env GIT_EDITOR='rm x' git commit",
            "bash -c 'exec \"$@\"' y rm || rm x",
            "tar --rmt-command='rm x' -cf h:y z",
            "cpio --rsh-command='rm x' -F h:y",
            "rsync --rsync-path='rm x' a h:",
            "start-stop-daemon --start --exec rm x",
            "capsh -c 'rm x'",
            "cpulimit -l 50 rm x",
            "sshpass -p a rm x",
            "ls | ifne rm x",
            "ls | pee 'rm x'",
            "npx rm x",
            "npx -p a rm x",
            "conda run -n e rm x",
            "pyenv exec rm x",
            "mise exec -- rm x",
            "bwrap --ro-bind / / --dev /dev --setenv A b rm x",
            "bwrap --unshare-all --bind a b -- rm x",
            "ip netns exec red rm x",
            "ip -n red net e red rm x",
            "ip -all netns exec rm x",
            "npm exec -- rm x",
            "npm x -p a rm x",
            "pnpm dlx rm x",
            "pnpm -C a exec rm x",
            "yarn exec rm x",
            "bunx rm x",
            "bundle exec rm x",
            "uv run --with a rm x",
            "uv tool run rm x",
            "tmux new -d 'rm x'",
            "tmux -L a new-session -d -s b rm x",
            "tmux send-keys -t a 'rm x' Enter",
            "tmux new -d \\; split-window 'rm x'",
            "screen -dmS a rm x",
            "screen -S a -X stuff 'rm x'",
            "less '+!rm x' file",
            "script -qc 'rm x' /dev/null",
            "systemd-run --user -u a -E B=c rm x",
            "systemd-run --on-active 5 rm x",
            "chroot --userspec a / rm x",
            "unshare -r --root / rm x",
            "nsenter -t 1 --setuid 0 -m rm x",
            "flock -w 1 a rm x",
            "flock a -c 'rm x'",
            "setsid -f rm x",
            "strace -f -o out rm x",
            "strace -o '|rm x' ls",
            "gdb -iex '!rm x'",
            "gdb -eval-command 'shell rm x'",
            "docker run --rm -it -v /:/a image rm x",
            "docker --context a exec -u root box rm x",
            "docker compose -f a run box rm x",
            "docker run --entrypoint rm image x",
            "podman exec -l rm x",
            "kubectl -n a exec pod -c b -- rm x",
            "kubectl run a --image b -- rm x",
            "nix-shell -p a --run 'rm x'",
            "nix develop -c rm x",
            "direnv exec . rm x",
            "nc -l 1 -e 'rm x'",
            "sg group 'rm x' -c 'rm x'",
            "sudo -s rm x",
            "sudo -s <<< 'rm x'",
            "unshare -r <<< 'rm x'",
            "busybox xargs rm",
            "setpriv --securebits a rm x",
            "numactl --cpunodebind 0 rm x",
            "faketime -f '@2020' rm x",
            "ssh host -- rm x",
            "ssh host -p 22 rm x",
            "gdb -batch --ex 'shell rm x' ls",
            "git -c credential.helper='!rm x' fetch",
            "git -c pager.log='rm x' log",
            "git config alias.a '!rm x'",
            "git config --global core.fsmonitor 'rm x'",
            "socat - exec:'rm x'",
            "sqlite3 a '.shell rm x'",
            "expect -c 'spawn rm x'",
            "sops exec-env f 'rm x'",
            "nix shell n#c -c rm x",
            "guix shell c -- rm x",
            "cmake -E env rm x",
            "konsole -e rm x",
            "sg group 'rm x'",
            "newgrp a <<< 'rm x'",
            "RUSTC_WRAPPER='rm x' cargo build",
        ] {
            let survey = Survey::of(text);
            assert!(survey.names().contains(&"rm"), "{text}: {survey:?}");
        }
    }

    #[test]
    fn what_cannot_be_told_is_said_to_be_so() {
        for text in [
            "$x",
            "$(echo rm) x",
            "`echo rm` x",
            "bash script.sh",
            "source x",
            "${a}m x",
            "",
            "echo ${x@P}",
            "{rm,x}",
            "rm{,} x",
            "X=rm; $X x",
            "${X:-rm} x",
            "/bin/r? x",
            "/bin/[r]m x",
            "r[m] x",
            "cat <<E | sh\nrm x\nE",
            "echo rm x | bash",
            "curl x | sh -s -- y",
            "bash < x",
            "bash <<< \"$x\"",
            "sh <<E\n$x\nE",
            "eval \"$x\"",
            "bash -c \"$x\"",
            "echo rm | xargs -I% % x",
            "find . -exec {} \\;",
            "find . -exec sh -c 'rm {}' \\;",
            "x='a[$(rm y)]'; echo $((x))",
            "read x; echo $((x))",
            "y='a[$(rm z)]'; [[ $y -eq 1 ]]",
            "unset 'a[$(rm x)]'",
            "test -v 'a[$(rm x)]'",
            "printf -v 'a[$(rm x)]' y",
            "declare -i n='a[$(rm x)]'",
            "let 'a[$(rm x)]'",
            "alias l=rm; l x",
            "shopt -s expand_aliases",
            "hash -p /bin/rm ls; ls x",
            "echo ${!x}",
            "echo ${a[$i]}",
            "$\\\n(rm x)",
            "echo \"${x:-'}'}\"; rm y #\"}",
            "echo 'a",
            "echo $(ls",
            "ls )",
            "zsh -c 'ls *(e:rm:)'",
            "BASH_ENV=x bash -c ls",
            "LD_PRELOAD=./x ls",
            "NODE_OPTIONS=--require=./x node y",
            "PERL5OPT=-Mx perl y",
            "RUBYOPT=-r./x ruby y",
            "PYTHONSTARTUP=x python3",
            "JAVA_TOOL_OPTIONS=-javaagent:x java y",
            "GCONV_PATH=. iconv y",
            "echo $'\\''",
            "cat <<E\nE\\\nE",
            "a@(b)",
            "parallel rm ::: x",
            "\"$x\" y",
            "command $x",
            "sh -c '$0 y' rm",
            "compgen -C rm",
            "echo rm x > s; chmod +x s; ./s",
            "to${x}uch y",
            "env A=1 $x",
            "echo rm x | sudo -s",
            "sudo -u a --login",
            "nsenter -t 1 -a",
            "chroot /",
            "awk 'BEGIN{system(\"rm x\")}'",
            "find . -exec awk '{print | c}' {} +",
        ] {
            assert!(
                !Survey::of(text).doubts.is_empty(),
                "{text}: {:?}",
                Survey::of(text)
            );
        }
    }

    #[test]
    fn ordinary_scripts_leave_no_doubt() {
        for text in [
            "ls -la",
            "ls -la | grep \"$x\" > out 2>&1",
            "for f in *.rs; do wc -l \"$f\"; done",
            "for ((i=0; i<10; i++)); do echo $i; done",
            "i=0; while [ $i -lt 3 ]; do i=$((i+1)); done",
            "if [[ -f a && $x == b* ]]; then cat a; fi",
            "A=1 B=\"c d\" make",
            "cat > a.txt <<'EOF'\nrm -rf / $x `y`\nEOF",
            "cat <<EOF\n$HOME\nEOF",
            "bash -c 'echo a; ls'",
            "find . -name '*.rs' -exec grep -l x {} +",
            "ls | xargs -n 1 grep rm",
            "f() { echo \"$1\"; }; f a",
            "case $x in a|b) ls;; *) cat y;; esac",
            "echo {a,b}.txt; ls *.{rs,toml}",
            "a=(1 2 3); echo \"${a[@]}\" ${#a[@]} ${a[0]}",
            "x=${y:-z}; echo ${x%.*} ${x//a/b} ${x:0:3}",
            "cd sub && make -j$(nproc)",
            "cmd() { return 0; }\ncmd || exit 1",
            "export PATH=\"$PATH:/x\"; make",
            "set -euo pipefail; ls",
            "(cd a; ls) & wait",
            "echo \"it's\" 'a \"b\"' \\$x",
            "time make",
            "command -v rm",
            "$HOME/.cargo/bin/cargo build",
            "\"$ROOT\"/run.sh",
            "echo $'a\\tb'",
            "ssh host ls",
            "exec 3>log; echo x >&3",
            "while read -r line; do echo \"$line\"; done < f",
            "awk -F'|' '/a|b/ {print $1 \" | \" $2}' f",
            "sudo -l",
            "tmux ls",
            "screen -ls",
            "docker ps -a",
            "ip netns list",
            "less +G f",
            "git config --get user.name",
            "git config user.name Ann",
            "podman exec box ls -l",
            "nix flake check",
            "uv pip install a",
        ] {
            let survey = Survey::of(text);
            assert!(survey.doubts.is_empty(), "{text}: {:?}", survey.doubts);
        }
    }

    #[test]
    fn any_text_comes_to_an_end() {
        for text in [
            "'",
            "\"",
            "`",
            "$(",
            "${",
            "<(",
            "<<",
            "<<<",
            "\\",
            "$(\"",
            "a$",
            "((((",
            "$($($($(",
            "<<a\n<<b\n",
        ] {
            let _ = Survey::of(text);
            let _ = Survey::of(&text.repeat(1000));
        }
    }
}
