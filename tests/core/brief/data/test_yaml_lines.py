"""Scalars of YAML that go on over several lines."""

import pytest

from ctxkit.core.brief.data.yaml_lines import DIVIDER, KEY, TEMPLATE


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("name: x", "name"),
        ('"a: b": x', "a: b"),
        ("'it''s': x", "it''s"),
        ("a b:c: x", "a b:c"),
        ("<<: *base", "<<"),
        ("http://x", None),
        ("- a: 1", None),
        ("# a: 1", None),
    ],
)
def test_a_key_ends_at_a_colon_and_a_blank(line: str, key: str | None) -> None:
    match = KEY.match(line)
    assert (next(group for group in match.groups() if group is not None) if match else None) == key


def test_dividers_and_templates() -> None:
    assert DIVIDER.match("--- # next")
    assert not DIVIDER.match("----")
    assert TEMPLATE.match("  {{- if .Values.x }}")
