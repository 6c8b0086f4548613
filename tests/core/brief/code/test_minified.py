"""Minified files: style sheets by bytes, and nothing else."""

from ctxkit.core.brief.code import minified
from ctxkit.core.brief.code.minified import (
    RULE,
    RuleGroups,
    build_minified_outlines,
    is_minified,
    is_style_sheet,
    make_version_entries,
)
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines
from ctxkit.core.text.lines import iterate_matches
from tests.core.brief.kinds.test_table import mapped

BUNDLE = (
    b"/*! tool 1.2 | MIT */\n"
    + b"!function(){"
    + b"".join(b"function f%d(a){return a+%d}" % (n, n) for n in range(300))
    + b"class Store{get(){}}}();"
)


def document(data):
    return InputDocument(lines.lines_from_bytes(data), lambda at, size: data[at : at + size], len, 1000, "a.js")


def test_what_counts_as_minified() -> None:
    assert is_minified(document(BUNDLE))
    assert not is_minified(document(b"x" * 1_000))
    assert not is_minified(document(b"function f() {\n  return 1;\n}\n" * 200))


def test_a_script_has_no_rules_of_a_style_sheet() -> None:
    assert build_minified_outlines(document(BUNDLE), "source") is None


def test_the_rules_of_a_style_sheet_have_their_bytes() -> None:
    sheet = b"".join(b".a%d{color:red;margin:%dpx}" % (n, n) for n in range(300))
    made = build_minified_outlines(document(sheet), "source") or []
    for entry in made[0].sections[1].entries:
        first = entry.label.partition(" ")[0]
        assert sheet[entry.start - 1 : entry.end].decode().startswith(f"{first}{{")


SHEET = (
    b"@font-face{font-family:Ours;src:url(a.woff2)}a{color:red}@media print{.b{top:0}.c{top:1px}}"
    b'.d:after{content:"1.2.34"}'
)


def read(data):
    return lambda at, size: data[at : at + size]


def collect(data, piece=1 << 20):
    groups = RuleGroups()
    for base, match in iterate_matches(RULE, read(data), len(data), 200, piece=piece):
        groups.add(base, match)
    return groups


def test_rules_have_their_bytes() -> None:
    rules = list(collect(SHEET).make_entries(9))
    assert [rule.label for rule in rules] == ["@font-face Ours", "a", ".b", ".c", ".d:after"]
    assert SHEET[rules[1].start - 1 : rules[1].end] == b"a{color:red}"
    assert SHEET[rules[2].start - 1 : rules[2].end] == b".b{top:0}"


def test_groups_name_their_first_and_last_rule() -> None:
    assert [entry.label for entry in collect(SHEET * 2).make_entries(2)] == ["@font-face Ours to .d:after (5 rules)"] * 2
    assert [entry.label for entry in make_version_entries(read(SHEET), len(SHEET))] == ['version: content:"1.2.34"']


def test_rules_are_the_same_in_pieces_of_any_size() -> None:
    for piece in (1, 7, 64, 300):
        assert list(collect(SHEET * 30, piece).make_entries(20)) == list(collect(SHEET * 30).make_entries(20))


def test_of_very_many_rules_neighbours_are_stored_together(monkeypatch) -> None:
    monkeypatch.setattr(minified, "MAX_GROUPS", 10)
    data = b"".join(b".r%d{top:%d}" % (at, at) for at in range(333))
    groups = collect(data)
    entries = list(groups.make_entries(4))
    assert groups.count == 333
    assert sum(int(entry.label.split("(")[1].split()[0]) for entry in entries) == 333
    assert [entry.start - 1 for entry in entries[1:]] == [entry.end for entry in entries[:-1]]
    for entry in entries:
        first, last = entry.label.split(" (")[0].split(" to ")
        piece = data[entry.start - 1 : entry.end].decode()
        assert piece.startswith(first + "{")
        assert piece.rpartition(".")[2].startswith(last[1:] + "{")


def test_style_sheets_are_told_from_code() -> None:
    assert is_style_sheet(b"a{color:red}b{color:red}c{color:red}")
    assert not is_style_sheet(b'!function(){var a={b:1};c({d:2})}();')
    assert not is_style_sheet(b'{"a":{"b":1},"c":{"d":2},"e":{"f":3}}')


def test_a_minified_style_sheet_is_mapped_by_bytes() -> None:
    text = mapped((SHEET * 40).decode(), 700).text
    assert ", css): a map" in text
    assert "@font-face of Ours" in text
