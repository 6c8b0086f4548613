import tomllib

import pytest

from ctxkit.edge.toml import lines_of

FILE = b"""\xef\xbb\xbf# window = 1
window = 2 # = 3
"hint" = 'sed'

[tool.ctxkit]
  strict = true
models.a.window = 7
[tool.ctxkit.models."qwen-3.5"]
window=8
[models]
inline = { window = 9 }
"""


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (("window",), 2),
        (("hint",), 3),
        (("tool", "ctxkit"), 5),
        (("tool", "ctxkit", "strict"), 6),
        (("tool", "ctxkit", "models", "a", "window"), 7),
        (("tool", "ctxkit", "models", "a"), 7),
        (("tool", "ctxkit", "models", "qwen-3.5", "window"), 9),
        (("models", "inline", "window"), 11),
        (("absent",), 1),
    ],
)
def test_a_key_is_found_in_its_own_table_however_it_is_written(keys, line):
    tomllib.loads(FILE.decode("utf-8-sig"))
    assert lines_of(FILE).of(keys) == line


def test_a_key_that_begins_like_another_is_not_taken_for_it():
    assert lines_of(b"hints = 1\nhint = 2\n").of(("hint",)) == 2
