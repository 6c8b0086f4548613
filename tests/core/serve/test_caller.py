"""A request says for whom it is: a directory, and variables of ctxkit alone."""

from urllib.parse import quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import UsageError
from ctxkit.core.serve.caller import Caller, read_caller

OTHERS = (
    *("HOME", "TMPDIR", "TEMP", "TMP", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
    *("PYTHONPATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "SHELL", "EDITOR", "GIT_DIR", "OPENAI_API_KEY", "HTTPS_PROXY"),
)
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=30)


@given(TEXTS, st.dictionaries(st.sampled_from(["CTXKIT_MODEL", "CTXKIT_SESSION", "CTXKIT_HINT"]), TEXTS))
def test_what_a_client_encodes_is_read(name: str, variables: dict[str, str]) -> None:
    caller = read_caller(quote(f"/{name}"), urlencode(variables), is_local=True)
    assert caller == Caller(f"/{name}", tuple(variables.items()))


def test_a_path_that_is_not_utf8_is_kept() -> None:
    assert read_caller("/a%ff", "CTXKIT_MODEL=%ff", is_local=True) == Caller("/a\udcff", (("CTXKIT_MODEL", "\udcff"),))


def test_a_request_may_say_nothing() -> None:
    assert read_caller("", "", is_local=True) == read_caller("", "", is_local=False) == Caller()


@pytest.mark.parametrize(
    ("directory", "variables", "message"),
    [
        ("work", "", "not an absolute path"),
        ("/a%00b", "", "not an absolute path"),
        ("", "PATH=/tmp", "'PATH' is not a variable of ctxkit"),
        *(("", f"{name}=/x", f"'{name}' is not a variable of ctxkit") for name in OTHERS),
        ("", "CTXKIT_x=1", "is not a variable"),
        ("", "CTXKIT_MODEL=a%00", "contains a NUL"),
        ("", "CTXKIT_MODEL", "bad query field"),
        ("", "&".join(["CTXKIT_A=1"] * 201), "fields"),
        ("/" + "x" * 100_001, "", "at most"),
    ],
)
def test_anything_else_is_refused(directory: str, variables: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_caller(directory, variables, is_local=True)


@pytest.mark.parametrize(("directory", "variables"), [("/", ""), ("", "CTXKIT_MODEL=x")])
def test_a_caller_on_another_machine_has_no_place_here(directory: str, variables: str) -> None:
    with pytest.raises(UsageError, match="over the network"):
        read_caller(directory, variables, is_local=False)
