"""Format the line of a briefing that says how to read a part of the content."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ctxkit.core.named_tuple import NamedTuple

PREFIX = "To read a part: "
PRESETS = {
    "ctxkit": "ctxkit cache get {ref} --lines {start}:{end} (or: sed -n '{start},{end}p' {path})",
    "sed": "sed -n '{start},{end}p' {path}",
    "read_file": 'read_file("{name}", lines="{start}:{end}")',
    "read_result": 'Use the "read_result" tool with ref_id="{ref}" to read specific portions.',
}
"""Templates by the names that --hint accepts; ``read_file`` and ``read_result`` are tools of the specification."""
SHORT_TEMPLATE = "ctxkit cache get {ref} --lines {start}:{end}"
BYTES_TEMPLATE = "ctxkit cache get {ref} --bytes {start}:{end}"
"""Template for content in one long line, if the template is a preset."""
_HINT_START = r"(?im)^(?=to[ \t]+read\b|use the \"?read_)"
"""Matches before a line that looks like a hint of a map."""
FIELDS = ("ref", "path", "name", "start", "end")
_FOCUS = " --lines {start}:{end} (or: --focus WORDS)"
_FOCUS_TEMPLATES = {
    template: template.replace(" --lines {start}:{end}", _FOCUS) for template in (PRESETS["ctxkit"], SHORT_TEMPLATE)
}
"""Templates of a map that leaves entries out, which a reader may ask for by words."""
_OWN_TEMPLATES = (*PRESETS.values(), SHORT_TEMPLATE, *_FOCUS_TEMPLATES.values())
_BUILTIN_TEMPLATES = (*_OWN_TEMPLATES, BYTES_TEMPLATE)
_NEEDS_QUOTES = "\"'\\$"
"""Characters that cannot be quoted unchanged in a shell word; a path such as ~/a/3f9a* can."""


class Hint(NamedTuple):
    """How to read content back: a template, its ref (empty if not stored), path and name.

    The path is already quoted as a shell word, "" if no word names it in every shell; the name is not quoted.
    """

    template: str
    ref: str = ""
    path: str = ""
    name: str = ""

    def for_lines(self, start: int, end: int) -> str:
        """Return the hint for lines ``start`` to ``end``; it names the ref with any template.

        Return "" for content that is not stored and whose name is no word to paste.
        """
        return self._fill(self.template, start, end)

    def for_bytes(self, start: int, end: int) -> str:
        """Return the hint for bytes ``start`` to ``end``, for content whose lines are too long to address."""
        is_preset = self.template in _OWN_TEMPLATES and not self._names_read_result()
        return self._fill(BYTES_TEMPLATE if is_preset else self.template, start, end)

    def for_json_path(self, path: str, start: int, end: int) -> str:
        """Return the hint for the value at a JSON path, which is bytes ``start`` to ``end``."""
        is_preset = self.template in _OWN_TEMPLATES and not self._names_read_result()
        from ctxkit.core.text.shell import quote_word

        word = quote_word(path if path.startswith(".") else f".{path}")
        if not is_preset or not word or not (self.ref or self.path):
            return self.for_bytes(start, end)
        return f"{PREFIX}ctxkit cache get {self.ref or self.path} --json-path {word}"

    def _names_read_result(self) -> bool:
        """Return whether the hint is the sentence of the specification, which names the ref_id of stored content."""
        return bool(self.ref) and self.template == PRESETS["read_result"]

    def _fill(self, template: str, start: int, end: int) -> str:
        from ctxkit.core.text.shell import quote_path

        if template == PRESETS["read_result"]:
            if self.ref:
                return template.format(ref=self.ref)
            template = PRESETS["read_file"]
        name = _escape_double_quoted(self.name) if template == PRESETS["read_file"] else quote_path(self.name)
        values = dict(zip(FIELDS, (self.ref or self.path, self.path, name, str(start), str(end)), strict=True))
        if any(f"{{{field}}}" in template and not value for field, value in values.items()):
            if not self.ref:
                return ""
            template = SHORT_TEMPLATE
        text = template.format_map(values) if template in _BUILTIN_TEMPLATES else _fill_template(template, values)
        ref = f" [ref {self.ref}]" if self.ref and self.ref not in text else ""
        return f"{PREFIX}{text}{ref}"

    def for_transcoded(self) -> Hint:
        """Return the hint for content, such as UTF-16, that sed splits into other lines than ctxkit."""
        if self.template not in (PRESETS["ctxkit"], PRESETS["sed"]):
            return self
        return self._replace(template=SHORT_TEMPLATE)

    def without_alternative(self) -> Hint:
        """Return the hint without the sed command, for a briefing in which it takes too many tokens."""
        return self._replace(template=SHORT_TEMPLATE) if self.template == PRESETS["ctxkit"] else self

    def offer_focus(self) -> Hint:
        """Return the hint that also names --focus, if its command is that of ctxkit and its content is stored."""
        return self._replace(template=_FOCUS_TEMPLATES.get(self.template, self.template)) if self.ref else self

    def with_location(self, ref: str, path: str) -> Hint:
        """Return the hint for content stored as ``ref`` in the file ``path``, "" for none on this machine."""
        needs_path = self.template in (PRESETS["ctxkit"], PRESETS["sed"])
        template = SHORT_TEMPLATE if ref and not path and needs_path else self.template
        return self._replace(template=template, ref=ref, path=path)


def name_reader(template: str, ref: str, lines: tuple[int, int], span: str = "") -> str:
    """Return what reads ``lines`` of stored content: the command or the tool that a template names.

    ``span`` is the option that narrows the command of ctxkit to them, "" if they are all.

    >>> name_reader("", "3f9a2c81d0b47e65", (1, 9))
    'ctxkit cache get 3f9a2c81d0b47e65'
    >>> name_reader(PRESETS["read_result"], "3f9a2c81d0b47e65", (2, 4), "--lines 2:4")
    'read_result with ref_id="3f9a2c81d0b47e65" and lines="2:4"'
    """
    start, end = lines
    if template == PRESETS["read_result"]:
        part = f' and lines="{start}:{end}"' if span else ""
        return f'read_result with ref_id="{ref}"{part}'
    if "{ref}" not in template or template in PRESETS.values():
        return f"ctxkit cache get {ref} {span}".rstrip()
    return Hint(template, ref).for_lines(start, end).removeprefix(PREFIX)


def indent_hints(text: str) -> str:
    """Return quoted content with an indent before each line that looks like a hint: column 0 is for the true one."""
    return re.sub(_HINT_START, "  ", text)


def _fill_template(template: str, values: Mapping[str, str]) -> str:
    """Return a user's template with its fields filled in, each still one shell word.

    A word with its own quotes replaces the template's quotes around the field. In a longer quoted text, it is placed
    between two quoted halves.
    """
    pieces = re.split(r"\{(ref|path|name|start|end)\}", template)
    quote = ""
    for at in range(1, len(pieces), 2):
        before, word, after = pieces[at - 1], values[pieces[at]], pieces[at + 1]
        quote = _open_quote(before, quote)
        if quote and any(sign in _NEEDS_QUOTES for sign in word):
            if before.endswith(quote) and after.startswith(quote):
                pieces[at - 1], pieces[at + 1] = before[:-1], after[1:]
                quote = ""
            else:
                word = f"{quote}{word}{quote}"
        pieces[at] = word
    return "".join(pieces)


def _open_quote(text: str, quote: str) -> str:
    """Return the quote that is open after ``text``, or "" for none; ``quote`` is open before it."""
    escaped = False
    for sign in text:
        if escaped:
            escaped = False
        elif sign == "\\" and quote != "'":
            escaped = True
        elif sign == quote:
            quote = ""
        elif sign in "\"'" and not quote:
            quote = sign
    return quote


def quote_name(name: str) -> str:
    """Return a name as a JSON string, as the hint of ``read_file`` has it."""
    return f'"{_escape_double_quoted(name)}"'


def _escape_double_quoted(name: str) -> str:
    """Return a name escaped as the inside of a JSON string."""
    text = name.replace("\\", "\\\\").replace('"', '\\"')
    return "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in text)


def parse_template(text: str) -> str:
    """Return the preset that ``text`` names, or ``text`` itself if it is a template.

    Raise ValueError if it is not a valid template.
    """
    if text in PRESETS:
        return PRESETS[text]
    if "\n" in text or "\r" in text:
        raise ValueError("a hint is one line")
    if "{" not in text:
        raise ValueError(f"{text!r} is neither a template nor one of {', '.join(PRESETS)}")
    for field in re.findall(r"\{(\w*)\}", text):
        if field not in FIELDS:
            raise ValueError(f"{{{field}}} is not a field of a hint; these are: {', '.join(FIELDS)}")
    if re.search(r"\\\{", text):
        raise ValueError("a backslash before a field would undo its quotes")
    return text
