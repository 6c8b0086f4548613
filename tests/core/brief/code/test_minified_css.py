from ctxkit.core.brief.code.minified_css import is_style_sheet, list_rules, make_rule_entries, make_version_entries
from tests.core.brief.kinds.test_table import mapped

SHEET = (
    b"@font-face{font-family:Ours;src:url(a.woff2)}a{color:red}@media print{.b{top:0}.c{top:1px}}"
    b'.d:after{content:"1.2.34"}'
)


def test_rules_have_their_bytes() -> None:
    rules = list(list_rules(SHEET))
    assert [rule.label for rule in rules] == ["@font-face Ours", "a", ".b", ".c", ".d:after"]
    assert SHEET[rules[1].start - 1 : rules[1].end] == b"a{color:red}"
    assert SHEET[rules[2].start - 1 : rules[2].end] == b".b{top:0}"


def test_groups_name_their_first_and_last_rule() -> None:
    labels = [entry.label for entry in make_rule_entries(list(list_rules(SHEET * 2)), 2)]
    assert labels == ["@font-face Ours to .d:after (5 rules)"] * 2
    assert [entry.label for entry in make_version_entries(SHEET)] == ['version: content:"1.2.34"']


def test_style_sheets_are_told_from_code() -> None:
    assert is_style_sheet(b"a{color:red}b{color:red}c{color:red}")
    assert not is_style_sheet(b'!function(){var a={b:1};c({d:2})}();')
    assert not is_style_sheet(b'{"a":{"b":1},"c":{"d":2},"e":{"f":3}}')


def test_a_minified_style_sheet_is_mapped_by_bytes() -> None:
    text = mapped((SHEET * 40).decode(), 700).text
    assert ", css): a map" in text
    assert "@font-face of Ours" in text
