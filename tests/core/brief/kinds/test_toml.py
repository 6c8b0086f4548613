from ctxkit.core.brief.kinds import toml as kind

PROJECT = """\
[project]
name = "x"
dependencies = [
    "click>=8",
]

[tool.ruff]
line-length = 120

[tool.ruff.lint]
select = ["E", "F"]
"""


def test_tables_and_keys_have_their_lines(trial) -> None:
    text = trial(kind).map(PROJECT)
    assert "- Lines 1-5: .project: object with 2 keys" in text
    assert "- Lines 3-5: .project.dependencies: array of 1 element" in text
    assert "- Lines 7-11: .tool: object with 1 key" in text
    assert '- Line 8: .tool.ruff["line-length"]: integer 120' in text


def test_arrays_of_tables_are_records(trial) -> None:
    rows = (
        "".join(f'[[item]]\nname = "n{at}"\nsize = {at % 5}\n\n' for at in range(60))
        + '[[item]]\nname = "z"\nsize = "x"\n'
    )
    text = trial(kind).map(rows)
    assert "- Line 243: .item[].size is a string in 1 of 61; a number in 60 (here .item[60])" in text


def test_other_settings_are_no_toml(trial) -> None:
    known = trial(kind).known
    assert known("[a]\nb = c\nd = e f\ng = 1\nh = 2\ni = 3\n") == "ini"
    assert known(PROJECT) == known("a=1\n", "x/pyproject.toml") == "toml"
    assert known("a = 1\nb = 2\nc = f(x)\n[x]\n") != "toml"
