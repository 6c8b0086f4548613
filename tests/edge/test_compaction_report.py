import pytest

from ctxkit.core.errors import MalformedInputError
from ctxkit.edge.compaction_report import describe_error, encode_json


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (MalformedInputError("line 7 is bad"), "line 7 is bad"),
        (ValueError("x"), "ValueError: x"),
        (ValueError(), "ValueError: ValueError"),
    ],
)
def test_a_bug_is_described_with_its_type(error, text):
    assert describe_error(error) == text


def test_json_is_one_line_unless_pretty():
    assert encode_json({"a": "é\ud800"}) == '{"a": "é?"}\n'.encode()
    assert encode_json({"a": "é"}, ascii_only=True) == b'{"a": "\\u00e9"}\n'
    assert encode_json({"a": [1]}, pretty=True) == b'{\n "a": [\n  1\n ]\n}\n'
