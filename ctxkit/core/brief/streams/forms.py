"""Known forms in a stream of several parts: where each begins, and how far its grammar holds."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass

Rows = Sequence[str]
SHORTEST = 8
"""Minimum number of lines of a form."""
WIDEST = 400
"""Maximum number of characters read from a line."""
JSON_MEMBER = compile_lazily(r'\s+(?:"[^"\n]{0,200}"\s*[:,]|[\[{"\d-]|true|false|null)')
JSON_KEY = compile_lazily(r'\s+"[^"\n]{0,200}')
MAX_INTERRUPTIONS = 20
"""Maximum number of rows inside JSON that are not part of it."""
JSON_JOINTS = ("{", "}", "},", "},{", "}, {", "[", "],")
"""Rows at the margin between the elements of an array."""
RULER = compile_lazily(r"-{2,}(?:(?: {1,4}|-?\+-?)-{2,})+ *$")
BOX = compile_lazily(r"[+\u250c\u256d\u2554][-+=\u2500\u2550\u252c\u2566]+[+\u2510\u256e\u2557]$")
BRANCH = compile_lazily(r"[\u2502| ]{0,200}?(?:[\u251c\u2514\u2570][\u2500\u252c]|\|--|`--|\+--|\\---)")
BELOW_BRANCH = compile_lazily(r"(?:[\u2502| \xa0]{2,}|\u2502)")
TOML_TABLE = compile_lazily(r"\[\[?[\w.\"' -]+\]\]?$")
TOML_ROW = compile_lazily(r"[\w.\"'-]+ = |\[|\s|[\]}],?$|#|$")
TOML_KEY = compile_lazily(r"[\w.\"'-]+ = ")
YAML_KEY = compile_lazily(r"[\w\"'@$./-][^:\n]{0,120}:(?: |$)")
YAML_ROW = compile_lazily(r"\s|- |#|---|$")
YAML_START = compile_lazily(r"---$|apiVersion: \S|lockfileVersion: \S|openapi: |swagger: |version: ")
STANZA_KEY = compile_lazily(r"[A-Z][\w-]{1,40}:(?: \S|$)")
DIFF_ROW = compile_lazily(
    r"[ +@\\-]|diff |index |new file|deleted file|old mode|new mode|similarity|dissimilarity|rename |copy |Binary |GIT "
    r"|$"
)
STATUS_ROW = compile_lazily(
    r"\t|  \(|$|On branch |HEAD detached|Your branch|and have |Changes |Untracked |Unmerged |You |no changes |nothing "
)
LOG_ROW = compile_lazily(r"commit [0-9a-f]{7,64}\b|(?:Author|AuthorDate|Commit|CommitDate|Date|Merge): |\s|$|:\d{6} ")
COLUMN = compile_lazily(r"\S+(?: \S+)*")
CLOSING = compile_lazily(r"=+ .{0,200}\b\d[\d.]*s(?:econds)?\b.{0,40} =+$")


@dataclass(frozen=True, slots=True)
class Form:
    """Hold the place of a known form: rows ``start`` to ``end``, counted from 0, the end excluded."""

    name: str
    start: int
    end: int


Read = Callable[[Rows, int], "Form | None"]
"""Return the form that begins at a row, or None; a form without a name holds the rows that were read in vain."""
MAX_VAIN = 20_000
"""Rows that a reader may read in vain: if each row seems to begin a form, reading on from each takes squared time."""


def find_forms(rows: Rows) -> Iterator[Form]:
    """Yield the forms of at least ``SHORTEST`` rows, in order, without overlaps."""
    at = after = 0
    vain: Counter[Read] = Counter()
    while at < len(rows):
        form = _read_form(rows, at, vain)
        if form is None:
            at += 1
            continue
        form = Form(form.name, max(form.start, after), form.end)
        if form.end - form.start >= SHORTEST:
            yield form
            after = form.end
        at = max(form.end, at + 1)


def _read_form(rows: Rows, at: int, vain: Counter[Read]) -> Form | None:
    """Return the form that begins at a row, or None; add to ``vain`` how many rows each reader read without one."""
    for read in READERS.get(rows[at][:1], ()):
        form = read(rows, at) if vain[read] < MAX_VAIN else None
        if form and form.name:
            return form
        if form:
            vain[read] += form.end - form.start
    return None


def _extend(rows: Rows, at: int, fits: Callable[[str], object]) -> int:
    """Return the row after the last row that fits, without blank rows at the end."""
    end = at
    while end < len(rows) and fits(rows[end][:WIDEST]):
        end += 1
    while end > at and not rows[end - 1].strip():
        end -= 1
    return end


def _read_json(rows: Rows, at: int) -> Form | None:
    opening = rows[at].rstrip()
    if opening not in ("{", "[", "[{") or at + 1 >= len(rows):
        return None
    below = rows[at + 1][:WIDEST]
    if not JSON_MEMBER.match(below) and not (opening == "[" and below.rstrip() == "{"):
        return None
    if "{" in opening and '"' not in below:
        return None
    joints = JSON_JOINTS if opening[0] == "[" else ()

    def fits(row: str) -> bool:
        return not row or row[0] in " \t" or row.rstrip() in joints

    end = _extend(rows, at + 1, fits)
    for _ in range(MAX_INTERRUPTIONS):
        if not _is_interrupted(rows, end):
            break
        end = _extend(rows, end + 1, fits)
    closed = end < len(rows) and rows[end].rstrip(" ,;") in ("}", "]", "}]")
    return Form("json", at, end + closed)


def _is_interrupted(rows: Rows, at: int) -> bool:
    """Return whether a row is text of another stream inside JSON: members stand before it and after it."""
    if at + 1 >= len(rows) or rows[at][:1] in "}]{[":
        return False
    return all(JSON_KEY.match(rows[near][:WIDEST]) is not None for near in (at - 1, at + 1))


def _read_ruled_table(rows: Rows, at: int) -> Form | None:
    if at == 0 or not RULER.match(rows[at][:WIDEST]) or not rows[at - 1].strip():
        return None
    ruler = rows[at]
    gaps = [place for place, char in enumerate(ruler[:WIDEST]) if char in " +|"]
    end = _extend(rows, at + 1, lambda row: row.strip() and _has_gaps(row, gaps))
    return Form("table", at - 1, end)


def _has_gaps(row: str, gaps: Sequence[int]) -> bool:
    """Return whether most gaps between columns are blank or bars, or the row is a note such as ``(3 rows)``."""
    kept = [row[place] in " |+\u2502" for place in gaps if place < len(row)]
    return row[:1] not in "{[" and (sum(kept) >= len(kept) * 0.6 if kept else row[:1] == "(" or " " not in row.strip())


def _read_box(rows: Rows, at: int) -> Form | None:
    if not BOX.match(rows[at].rstrip()[:WIDEST]):
        return None
    return Form("table", at, _extend(rows, at, lambda row: row[:1] in "|+" or row[:1] >= "\u2500"))


def _read_tree(rows: Rows, at: int) -> Form | None:
    if not BRANCH.match(rows[at][:WIDEST]):
        return None
    start = at
    while start and BELOW_BRANCH.match(rows[start - 1][:WIDEST]):
        start -= 1
    root = start > 0 and bool(rows[start - 1].strip()) and rows[start - 1][:1] not in " \t"
    return Form("tree", start - root, _extend(rows, at, _is_in_tree))


def _is_in_tree(row: str) -> bool:
    return bool(BRANCH.match(row) or BELOW_BRANCH.match(row))


def _read_toml(rows: Rows, at: int) -> Form | None:
    if not TOML_TABLE.match(rows[at][:WIDEST]):
        return None
    start = at
    while start and TOML_ROW.match(rows[start - 1][:WIDEST]):
        start -= 1
    while start < at and not TOML_KEY.match(rows[start][:WIDEST]):
        start += 1
    end = _extend(rows, at, TOML_ROW.match)
    tables = sum(TOML_TABLE.match(row[:WIDEST]) is not None for row in rows[start:end])
    keys = sum(" = " in row[:WIDEST] for row in rows[start:end])
    return Form("toml" if keys >= tables and keys else "", start, end)


def _read_yaml(rows: Rows, at: int) -> Form | None:
    if not YAML_START.match(rows[at][:WIDEST]):
        return None
    end = _extend(rows, at, lambda row: YAML_ROW.match(row) or YAML_KEY.match(row))
    inside = [row for row in rows[at:end] if row.strip()]
    keys = sum(YAML_KEY.match(row.lstrip(" -")[:WIDEST]) is not None for row in inside)
    return Form("yaml" if keys >= 0.6 * len(inside) else "", at, end)


def _read_stanzas(rows: Rows, at: int) -> Form | None:
    """Read capitalized keys with values, as in headers of packages; stanzas end with a blank row or dashes."""
    if not STANZA_KEY.match(rows[at][:WIDEST]):
        return None
    end = _extend(rows, at, lambda row: STANZA_KEY.match(row) or row[:1] in " \t" or row in ("", "---"))
    keys = sum(STANZA_KEY.match(row[:WIDEST]) is not None for row in rows[at : at + SHORTEST])
    return Form("stanzas" if keys >= SHORTEST - 1 else "", at, end)


def _read_diff(rows: Rows, at: int) -> Form | None:
    named = rows[at].startswith("--- ") and at + 2 < len(rows) and rows[at + 1].startswith("+++ ")
    if not rows[at].startswith("diff --git ") and not (named and rows[at + 2].startswith("@@ ")):
        return None
    return Form("diff", at, _extend(rows, at, DIFF_ROW.match))


def _read_status(rows: Rows, at: int) -> Form | None:
    if not rows[at].startswith(("On branch ", "HEAD detached ")):
        return None
    return Form("status", at, _extend(rows, at, STATUS_ROW.match))


def _read_log(rows: Rows, at: int) -> Form | None:
    below = " ".join(rows[at + 1 : at + 6])
    if not re.match(r"commit [0-9a-f]{7,64}\b", rows[at][:WIDEST]) or "Author:" not in below[:WIDEST]:
        return None
    end = _extend(rows, at, lambda row: LOG_ROW.match(row) or DIFF_ROW.match(row))
    return Form("log", at, end)


def _read_pytest(rows: Rows, at: int) -> Form | None:
    if " test session starts " not in rows[at][:WIDEST]:
        return None
    closing = (end for end in range(at + 1, len(rows)) if CLOSING.match(rows[end][:WIDEST]))
    end = next(closing, None)
    return Form("pytest", at, end + 1) if end else Form("", at, len(rows))


def _read_aligned_table(rows: Rows, at: int) -> Form | None:
    """Read a table without a ruler: a header of capitalized names, and rows whose cells align with them."""
    names = list(COLUMN.finditer(rows[at][:WIDEST]))
    if len(names) < 4 or "  " not in rows[at].strip() or not all(name[0][0].isupper() for name in names):
        return None
    end = _extend(rows, at, lambda row: _is_aligned(row, names))
    while end + 1 < len(rows) and rows[end].strip() and _is_aligned(rows[end + 1][:WIDEST], names):
        end = _extend(rows, end + 1, lambda row: _is_aligned(row, names))  # a wide cell pushed one row aside
    return Form("table", at, end)


def _is_aligned(row: str, names: Sequence["re.Match[str]"]) -> bool:
    cells = {edge for cell in re.finditer(r"\S+", row) for edge in (cell.start(), -cell.end())}
    return sum(name.start() in cells or -name.end() in cells for name in names) >= 0.6 * len(names)


READERS: dict[str, Sequence[Read]] = {
    "{": (_read_json,),
    "[": (_read_json, _read_toml),
    "-": (_read_ruled_table, _read_diff, _read_yaml),
    "d": (_read_diff,),
    "O": (_read_status,),
    "H": (_read_status,),
    "c": (_read_log,),
    "=": (_read_pytest,),
    "+": (_read_box,),
    **dict.fromkeys("\u250c\u256d\u2554", (_read_box,)),
    **dict.fromkeys("\u251c\u2514\u2570|`\\", (_read_tree,)),
    **dict.fromkeys("alosv", (_read_yaml,)),
    **dict.fromkeys("ABCDEFGHIJKLMNPQRSTUVWXYZ", (_read_aligned_table, _read_stanzas)),
}
"""The readers of forms by the first character of a row."""
READERS["H"] = (_read_status, _read_aligned_table, _read_stanzas)
READERS["+"] = (_read_box, _read_tree)
