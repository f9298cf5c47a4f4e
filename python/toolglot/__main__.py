"""The command line: `python -m toolglot` and the script `toolglot`."""

import signal
import sys


def main() -> int:
    """Carries out one command, as the binary `toolglot` does, and gives its exit code."""
    from toolglot._toolglot import command_line

    # While a command runs, no Python code does that could see an interrupt: the system's answer holds, as for the binary.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.flush()
    return command_line(["toolglot", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
