import shlex
import shutil
import subprocess

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxkit.core.text.retrieval_hint import FIELDS, PREFIX, PRESETS, Hint, parse_template
from ctxkit.core.text.shell import quote_path
from tests.example_counts import count_examples

HERE = Hint(PRESETS["ctxkit"], "3f9a2c81d0b4", "/cache/3f/3f9a2c81d0b4*", "big_file.rs")


def test_the_default_hint_names_the_command_and_a_way_without_it() -> None:
    assert HERE.for_lines(46, 200) == (
        "To read a part: ctxkit cache get 3f9a2c81d0b4 --lines 46:200 (or: sed -n '46,200p' /cache/3f/3f9a2c81d0b4*)"
    )


def test_the_read_file_hint_is_the_call_of_a_tool_and_names_the_ref() -> None:
    hint = Hint(PRESETS["read_file"], "3f9a2c81d0b4", name="big_file.rs")
    assert hint.for_lines(46, 200) == PREFIX + 'read_file("big_file.rs", lines="46:200") [ref 3f9a2c81d0b4]'


def test_a_file_on_disk_has_no_ref_to_name() -> None:
    assert Hint(PRESETS["sed"], path="big_file.rs").for_lines(46, 200) == PREFIX + "sed -n '46,200p' big_file.rs"


@given(st.sampled_from([*PRESETS.values(), "read {start} to {end}", "{name}"]), st.integers(1, 99), st.integers(1, 99))
def test_whatever_the_template_the_ref_is_named(template, start: int, end: int) -> None:
    assert HERE.ref in Hint(template, HERE.ref, HERE.path, HERE.name).for_lines(start, end)


@pytest.mark.parametrize("name", ["{start}.txt", "{end}", "{ref}", "{name}", "{path}"])
def test_a_name_that_looks_like_a_field_stays_as_it_is(name: str) -> None:
    assert Hint(PRESETS["read_file"], name=name).for_lines(1, 2) == PREFIX + f'read_file("{name}", lines="1:2")'


def test_content_that_is_held_now_gets_its_ref_and_path() -> None:
    assert Hint("t", name="n").with_location("r", "p") == Hint("t", "r", "p", "n")


@pytest.mark.parametrize("name", PRESETS)
def test_a_template_is_known_by_its_name(name) -> None:
    assert parse_template(name) == PRESETS[name]


def test_a_template_may_use_every_field() -> None:
    template = " ".join("{" + field + "}" for field in FIELDS)
    assert parse_template(template) == template


@pytest.mark.parametrize("text", ["", "nonsense", "{file}", "{start} {nope}", "{}"])
def test_a_template_with_another_field_or_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_template(text)


NASTY = "$(touch x); id & {start} *"


@pytest.mark.parametrize(
    "template",
    ["{name} {start}", 'cat "{name}" {start}', "cat '{name}' {start}", 'cat "./{name}.txt" {start}', "cat './{name}.txt' {start}", "x'{name}'y {start}"],
)
@pytest.mark.parametrize("name", [NASTY, "a.txt", "a b"])
def test_a_name_stays_inside_one_word_whatever_quotes_a_template_has(template: str, name: str) -> None:
    plain = Hint(template, name="NAME").for_lines(1, 2).removeprefix(PREFIX)
    hostile = Hint(template, name=name).for_lines(1, 2).removeprefix(PREFIX)
    assert shlex.split(hostile) == [word.replace("NAME", name) for word in shlex.split(plain)]


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
@settings(max_examples=count_examples(50), deadline=None)
@given(
    st.sampled_from(["{name}", '"{name}"', "'{name}'", 'a"b {name} c"d', "a'b {name} c'd", "-f={name}", "\\\\{name}", "'it'\\''s'{name}"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=9).filter(lambda name: not name.startswith("-")),
)
def test_bash_reads_the_name_back_from_any_template(template: str, name) -> None:
    def words(value):
        script = "printf '%s\\0' " + Hint(template, name=value).for_lines(1, 2).removeprefix(PREFIX)
        return subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout.decode()

    assume(quote_path(name))
    assert words(name) == words("NAME").replace("NAME", name)


@pytest.mark.parametrize("name", ["it's", "a\\'b", "x\n'; touch planted; #", 'a"b', "a`id`"])
@pytest.mark.parametrize("template", [PRESETS["sed"], "{name} {start}", "cat '{name}' {start}"])
def test_a_name_that_is_no_word_in_each_shell_is_in_no_hint(template: str, name: str) -> None:
    assert Hint(template, path=quote_path(name), name=name).for_lines(1, 2) == ""
    assert Hint(template, HERE.ref, "", name).for_lines(1, 2) == f"{PREFIX}ctxkit cache get {HERE.ref} --lines 1:2"


def test_a_path_that_needs_no_quotes_stays_inside_those_of_a_template() -> None:
    hint = Hint('read_file("{path}", lines="{start}:{end}")', "3f9a2c81d0b4", "~/c/3f/3f9a2c81d0b4*")
    assert hint.for_lines(4, 6) == PREFIX + 'read_file("~/c/3f/3f9a2c81d0b4*", lines="4:6")'


def test_a_name_for_the_tool_is_escaped_as_in_json() -> None:
    line = Hint(PRESETS["read_file"], name='a"b\\c\n\x1b').for_lines(1, 2)
    assert line == PREFIX + r'read_file("a\"b\\c\u000a\u001b", lines="1:2")'


def test_a_backslash_before_a_field_is_refused() -> None:
    with pytest.raises(ValueError, match="backslash"):
        parse_template(r"cat \{name}")


@pytest.mark.parametrize("path", [".a['x']", ".[\"a\nb\"]", ".[\"\x1b\"]", ".[\"\u202e\"]"])
def test_a_path_into_json_that_a_line_cannot_show_gives_way_to_bytes(path: str) -> None:
    assert HERE.for_json_path(path, 5, 9) == HERE.for_bytes(5, 9)


def test_the_read_result_hint_is_the_sentence_of_the_specification() -> None:
    """Seed 001: Use the "read_result" tool with ref_id="abc-123" to read specific portions."""
    hint = Hint(PRESETS["read_result"], "3f9a2c81d0b4", "/cache/x", "big_file.rs")
    sentence = 'Use the "read_result" tool with ref_id="3f9a2c81d0b4" to read specific portions.'
    assert [hint.for_lines(1, 9), hint.for_bytes(1, 9), hint.for_json_path(".a", 1, 9)] == [sentence] * 3


def test_what_is_not_stored_has_no_ref_to_read() -> None:
    assert Hint(PRESETS["read_result"], name="a.py").for_lines(1, 9) == PREFIX + 'read_file("a.py", lines="1:9")'


@pytest.mark.parametrize("name", ["ctxkit", "sed"])
def test_content_in_no_file_is_read_by_its_ref(name: str) -> None:
    hint = Hint(PRESETS[name]).with_location("3f9a2c81d0b4", "")
    assert hint.for_lines(1, 9) == "To read a part: ctxkit cache get 3f9a2c81d0b4 --lines 1:9"
    assert Hint(PRESETS[name]).with_location("", "").template == PRESETS[name]
