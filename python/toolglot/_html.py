"""How a message shows itself in a notebook."""

from __future__ import annotations

import html

from ._toolglot import Message

# So much of a text is shown, in code points.
_MOST = 20_000

_COLORS = {
    "answer": "transparent",
    "reasoning": "#e8e8e8",
    "markup": "#ffe9b3",
    "name": "#b3d9ff",
    "arguments": "#c8f0c8",
}


def message_html(message: Message) -> str:
    """The text with each class of span in a colour of its own, and the notes below it. All text is escaped."""
    text = message.text
    parts = []
    for start, end, kind in message.segments:
        if start >= _MOST:
            break
        shown = html.escape(text[start : min(end, _MOST)])
        parts.append(
            f'<span title="{kind}" style="background:{_COLORS[kind]};color:#111">{shown}</span>'
            if kind != "answer"
            else f"<span>{shown}</span>"
        )
    if len(text) > _MOST:
        parts.append(f"<em>… {len(text) - _MOST} more characters</em>")
    legend = " ".join(
        f'<span style="background:{color};color:#111;padding:0 .4em">{kind}</span>'
        for kind, color in _COLORS.items()
        if kind != "answer"
    )
    calls = "".join(
        f"<li><code>{html.escape(call.name)}</code> {call.end}"
        f"{'' if call.runnable else ', not runnable'}: <code>{html.escape(_cut(call.arguments_json))}</code></li>"
        for call in message.calls
    )
    notes = "".join(
        f"<li><code>{note.code} {note.name}</code> {note.span[0]}..{note.span[1]}: {html.escape(note.message)}"
        f"{': ' + html.escape(note.help) if note.help else ''}</li>"
        for note in message.notes
    )
    return (
        f"<div><div>{legend}</div>"
        f'<pre style="white-space:pre-wrap;overflow-wrap:anywhere">{"".join(parts)}</pre>'
        f"{f'<ol>{calls}</ol>' if calls else ''}"
        f"{f'<ul>{notes}</ul>' if notes else ''}</div>"
    )


def _cut(text: str) -> str:
    return text if len(text) <= 400 else f"{text[:400]}…"
