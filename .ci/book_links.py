"""Preprocessor of the book: relative links that leave `docs/` become links to the repository.

mdBook calls it with `supports RENDERER`, or with the book as JSON on standard input.
"""

import json
import posixpath
import re
import sys

LINK = re.compile(r"\]\(((?:\.\./)+[^)#\s]*)(#[^)]*)?\)")


def rewrite(chapter, repository):
    folder = posixpath.dirname(chapter["path"] or "")

    def link(found):
        target = posixpath.normpath(posixpath.join("docs", folder, found[1]))
        if target.startswith("docs/"):
            return found[0]
        return f"]({repository}/blob/main/{target}{found[2] or ''})"

    chapter["content"] = LINK.sub(link, chapter["content"])
    for item in chapter["sub_items"]:
        if "Chapter" in item:
            rewrite(item["Chapter"], repository)


def main():
    if sys.argv[1:2] == ["supports"]:
        return
    context, book = json.load(sys.stdin)
    repository = context["config"]["output"]["html"]["git-repository-url"]
    for item in book.get("items") or book["sections"]:
        if "Chapter" in item:
            rewrite(item["Chapter"], repository)
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
