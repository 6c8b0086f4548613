"""The line that says how to read a part."""

from typing import NamedTuple

LEAD = "To read a part: "
PRESETS = {
    "ctxkit": "ctxkit cache get {ref} --lines {start}:{end} (or: sed -n '{start},{end}p' {path})",
    "sed": "sed -n '{start},{end}p' {path}",
    "read_file": 'read_file("{name}", lines="{start}:{end}")',
}
"""Templates by the name --hint takes; ``read_file`` is the seed's."""
LEAN = "ctxkit cache get {ref} --lines {start}:{end}"
OCTETS = "ctxkit cache get {ref} --bytes {start}:{end}"
"""The template for content in one long line, where a preset was asked for."""
FIELDS = ("ref", "path", "name", "start", "end")


class Hint(NamedTuple):
    """Know where content can be read back: its ref (empty for none), a path and a name."""

    template: str
    ref: str = ""
    path: str = ""
    name: str = ""

    def line(self, start: int, end: int) -> str:
        """Return the hint for lines ``start`` to ``end``; it names the ref, whatever the template."""
        return self._filled(self.template, start, end)

    def octets(self, start: int, end: int) -> str:
        """Return the hint for bytes ``start`` to ``end``, for content whose lines say nothing."""
        return self._filled(OCTETS if self.template in (*PRESETS.values(), LEAN) else self.template, start, end)

    def member(self, path: str, start: int, end: int) -> str:
        """Return the hint for what a path into JSON leads to, which stands in bytes ``start`` to ``end``."""
        if self.template not in (*PRESETS.values(), LEAN) or "'" in path:
            return self.octets(start, end)
        where = path if path.startswith(".") else f".{path}"
        return f"{LEAD}ctxkit cache get {self.ref or self.path} --json-path '{where}'"

    def _filled(self, template: str, start: int, end: int) -> str:
        from re import sub

        values = dict(zip(FIELDS, (self.ref or self.path, self.path, self.name, str(start), str(end)), strict=True))
        text = sub(r"\{(ref|path|name|start|end)\}", lambda field: values[field[1]], template)
        ref = f" [ref {self.ref}]" if self.ref and self.ref not in text else ""
        return f"{LEAD}{text}{ref}"

    def transcoded(self) -> "Hint":
        """Return the hint for content that sed cannot cut into the lines that ctxkit shows, such as UTF-16."""
        if self.template not in (PRESETS["ctxkit"], PRESETS["sed"]):
            return self
        return self._replace(template=LEAN)

    def lean(self) -> "Hint":
        """Return the hint without its alternative, for where that takes too much of the room."""
        return self._replace(template=LEAN) if self.template == PRESETS["ctxkit"] else self

    def at(self, ref: str, path: str) -> "Hint":
        """Return the hint for content held as ``ref`` in the file ``path``."""
        return self._replace(ref=ref, path=path)


def template_of(text: str) -> str:
    """Return the template that ``text`` names or is; raises ValueError when it has an unknown field."""
    template = PRESETS.get(text, text)
    if "\n" in template or "\r" in template:
        raise ValueError("a hint is one line")
    if template == text and "{" not in text:
        raise ValueError(f"{text!r} is neither a template nor one of {', '.join(PRESETS)}")
    from re import findall

    for field in findall(r"\{(\w*)\}", template):
        if field not in FIELDS:
            raise ValueError(f"{{{field}}} is not a field of a hint; these are: {', '.join(FIELDS)}")
    return template
