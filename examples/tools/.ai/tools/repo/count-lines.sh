#!/usr/bin/env bash
# Counts the lines of the project's files, by extension.
#
# tool_id: count-lines
# tool_type: script
# version: "1.0.0"
# executor_id: rye/core/runtimes/bash/bash
# category: repo
# description: Counts the lines of files, by extension
# requires: [fs.read]
# tags: [files, statistics]
# timeout: 60
# parameters:
#   - name: directory
#     type: string
#     required: false
#     default: "."
#     description: Where to look, relative to the project
#     pattern: "^[^/~-][^~]*$"

set -euo pipefail

directory=$(realpath "./$TOOLGLOT_PARAM_directory")
case $directory/ in
    "$(realpath .)"/*) ;;
    *)
        echo "the directory is outside of the project" >&2
        exit 1
        ;;
esac

find "$directory" -mindepth 1 -name '.*' -prune -o -type f -name '*.*' -print0 |
    xargs -0 --no-run-if-empty awk '
        FNR == 1 { n = split(FILENAME, parts, "."); extension = parts[n] }
        { lines[extension]++ }
        END { for (extension in lines) print lines[extension], extension }
    ' | sort -rn
