import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import MalformedInputError, NotStoredError
from ctxkit.core.text import json_path
from ctxkit.core.text.json_path import EachStep, IndexStep, KeyStep, SliceStep, parse_path, select_values

TEXT = b"""{"a": {"b": [1, 2.50, {"x y": 123456789012345678901234567890}], "c": "s"},
 "n": null, "a": {"b": [10, 20, 30, {"x y": 1.10}], "\\u00e9": NaN}, "e": [], "o": {}}
"""


def taken(path, data=TEXT, size=7):
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    return list(select_values(pieces, parse_path(path)))


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        (".", ()),
        (".a.b", (KeyStep("a"), KeyStep("b"))),
        (".[0]", (IndexStep(0),)),
        (".a[-1][2:]", (KeyStep("a"), IndexStep(-1), SliceStep(2, None))),
        (".[:5].[]", (SliceStep(None, 5), EachStep())),
        ('."x y".["a\\"b"]?', (KeyStep("x y"), KeyStep('a"b'))),
    ],
)
def test_a_path_is_read_as_jq_reads_it(path: str, steps) -> None:
    assert parse_path(path) == steps


@pytest.mark.parametrize("path", ["", "a", "..", ".a |.b", ".[", ".[x]", ".a b", "$.a", ".é"])
def test_what_is_no_simple_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError):
        parse_path(path)


@pytest.mark.parametrize(
    ("path", "values"),
    [
        (".a.b[0]", ["10"]),  # of two members with one name the last holds
        ('.a.b[-1]["x y"]', ["1.10"]),
        (".a.b[1:3]", ["[20, 30]"]),
        (".a.b[1:3][]", ["20", "30"]),
        (".a.b[9:]", ["[]"]),
        (".a[]", ['[10, 20, 30, {"x y": 1.10}]', "NaN"]),
        ('.a["\\u00e9"]', ["NaN"]),
        (".n", ["null"]),
    ],
)
def test_values_are_written_as_they_stand(path: str, values) -> None:
    assert taken(path) == values


@pytest.mark.parametrize(
    ("path", "there"),
    [
        (".zz", "an object with a, n, a, e, o"),
        (".a.b[4]", "an array of 4"),
        (".a.b[-5]", "an array of 4"),
        (".a.b.c", "an array of 4"),
        (".a.b[0].c", "10"),
        (".e[]", "an array of 0"),
        (".o.x", "an empty object"),
    ],
)
def test_where_a_path_leads_nowhere_it_is_said_what_there_is(path: str, there: str) -> None:
    with pytest.raises(NotStoredError) as trouble:
        taken(path)
    assert trouble.value.hint == f"the path stops at {there}"


def test_each_line_of_jsonl_is_followed() -> None:
    assert taken(".id", b'\xef\xbb\xbf{"id": 1}\n{"no": 0}\n\n{"id": "b"}\r\n{"id": [3]}') == ["1", '"b"', "[3]"]


def test_values_in_a_row_that_span_lines_are_followed() -> None:
    assert taken(".id", b'{\n"id": 1}\n{\n"id": 2}\n') == ["1", "2"]


@pytest.mark.parametrize(
    ("data", "line"),
    [(b'{"id": 1}\n{"id": }\n', 2), (b'{"id": 1,\n\n"x" 2}\n', 3), (b'{"id": 1}\n{"id":\n', 2), (b"[" * 100_000, 1), (b"no json", 1)],
)
def test_what_is_no_json_names_its_line(data: bytes, line: int) -> None:
    with pytest.raises(MalformedInputError, match=f"^line {line} is (not JSON|nested too deeply)"):
        taken(".id", data, 1000)


def test_what_comes_before_the_malformed_line_is_written() -> None:
    values = select_values([b'{"id": 1}\n{"id": }\n'], parse_path(".id"))
    assert next(values) == "1"


def test_nothing_at_all_leads_nowhere() -> None:
    with pytest.raises(NotStoredError):
        taken(".", b"  \n")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(JSON, st.sampled_from([None, 1]))
def test_every_path_leads_to_what_the_parser_finds_there(value, indent: int | None) -> None:
    data = json.dumps(value, indent=indent).encode()

    def check(there, path):
        assert json.loads(*select_values([data], path)) == there
        for name, inner in there.items() if isinstance(there, dict) else ():
            check(inner, (*path, KeyStep(name)))
        for at, inner in enumerate(there) if isinstance(there, list) else ():
            check(inner, (*path, IndexStep(at)))
            check(inner, (*path, IndexStep(at - len(there))))

    check(value, ())


def test_the_nearest_value_is_described_once(monkeypatch: pytest.MonkeyPatch) -> None:
    described = []
    monkeypatch.setattr(json_path, "describe_nearest", lambda *call: described.append(call) or "an object")
    with pytest.raises(NotStoredError):
        list(select_values([b"{}\n" * 1000], parse_path(".a")))
    assert len(described) == 1
