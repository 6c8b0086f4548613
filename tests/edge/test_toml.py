import tomllib

import pytest

from ctxkit.core.errors import SettingsError
from ctxkit.edge.toml import find_key_lines, read_entries
from ctxkit.edge.user_dirs import SettingsFile

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
def test_a_key_is_found_in_its_own_table_however_it_is_written(keys, line: int) -> None:
    tomllib.loads(FILE.decode("utf-8-sig"))
    assert find_key_lines(FILE).find(keys) == line


def test_a_key_that_begins_like_another_is_not_taken_for_it() -> None:
    assert find_key_lines(b"hints = 1\nhint = 2\n").find(("hint",)) == 2


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"window = 1\nwindow = = 2\n", "f:2: Invalid value"),
        (b"window = 1\n\nmodels = [\n\n", "f:3: Invalid value"),
        (b'model = "a (at b) ', "f:1: Unterminated string"),
        (b"window = 1\nmodel = '\xff'\n", "f:2 is not UTF-8"),
    ],
)
def test_what_is_no_toml_is_named_with_its_line(data: bytes, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        list(read_entries(SettingsFile("f", data, ())))
    assert str(caught.value) == said
