from pathlib import Path

import pytest

pytest.importorskip("bench.lint", reason="the benches are in the repository alone")

from bench.lint.desk import Plant
from bench.lint.fixing import small
from bench.lint.survival import State, problems, state

RULES = (
    "# Rules\n\n- Keep the queue short and the log long\n- Ask before you spend any money\n\n```bash\ngit status\n```\n"
)
SOUL = "# Soul\n\n- Keep the queue short and the log long\n- Speak softly to everybody\n"
FILES = {"AGENTS.md": RULES, "SOUL.md": SOUL}


def kept(files, links=None):
    return State({path: text.encode() for path, text in files.items()}, links or {})


def found(after, *, before=None, unsafe=False, plants=(), links=None):
    return list(problems(kept(before or FILES, links), kept(after), list(plants), unsafe=unsafe))


def test_nothing_is_wrong_with_what_was_not_touched_or_lost_a_copy() -> None:
    assert found(FILES) == []
    assert found(FILES | {"SOUL.md": "# Soul\n\n- Speak softly to everybody\n"}) == []


def test_a_statement_that_was_there_once_is_lost() -> None:
    assert "is lost" in found(FILES | {"SOUL.md": "# Soul\n\n- Keep the queue short and the log long\n"})[0]


def test_the_copy_of_another_agent_is_lost_too() -> None:
    before = {"a/AGENTS.md": RULES, "b/AGENTS.md": RULES}
    after = {"a/AGENTS.md": RULES, "b/AGENTS.md": "# Rules\n"}
    assert any("codex b/AGENTS.md" in one for one in found(after, before=before))


def test_the_last_of_what_only_one_of_two_agents_shares_is_lost() -> None:
    after = FILES | {"AGENTS.md": RULES.replace("- Keep the queue short and the log long\n", "")}
    assert any(one.startswith("codex AGENTS.md") for one in found(after))


def test_a_rule_under_another_heading_is_another_rule() -> None:
    before = {"AGENTS.md": "## Always\n\n- Wear a hat in the sun\n\n## Never\n\n- Wear a hat in the sun\n"}
    after = {"AGENTS.md": "## Always\n\n- Wear a hat in the sun\n\n## Never\n"}
    assert found(after, before=before)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (RULES, RULES.replace("```\n", "", 1).replace("git status\n", "git status\n"), ""),
        (RULES, RULES.removesuffix("```\n"), "fence"),
        ("\ufeff" + RULES, RULES, "byte order"),
        (RULES.replace("\n", "\r\n"), RULES, "CRLF"),
        ("---\na: b\n---\n" + RULES, "---\na: c\n---\n" + RULES, "front matter"),
        (RULES + "\n| a | b |\n| - | - |\n| c | d |\n", RULES + "\n| a | b |\n| c | d |\n", "table"),
    ],
)
def test_a_broken_form_is_told(before, after, said: str) -> None:
    assert any(said in one for one in found({"AGENTS.md": after}, before={"AGENTS.md": before}))


def test_a_link_that_became_a_file_is_told() -> None:
    assert "symlink" in found(FILES | {"CLAUDE.md": RULES}, links={"CLAUDE.md": "AGENTS.md"})[0]


def test_a_new_statement_is_told() -> None:
    assert "is new" in found(FILES | {"SOUL.md": SOUL + "- Something that nobody wrote\n"})[0]


def test_an_unsafe_fix_may_keep_either_of_two_likenesses() -> None:
    before = FILES | {"SOUL.md": SOUL + "- Ask before spending money\n"}
    near = Plant("p", "near", "", where=[("AGENTS.md", 4, 4), ("SOUL.md", 5, 5)])
    assert found(FILES, before=before, unsafe=True, plants=[near]) == []
    assert found(FILES, before=before, plants=[near])
    neither = FILES | {"AGENTS.md": RULES.replace("- Ask before you spend any money\n", "")}
    assert found(neither, before=before, unsafe=True, plants=[near])


@pytest.mark.parametrize("seed", range(12))
def test_an_untouched_random_workspace_has_no_problems(tmp_path: Path, seed: int) -> None:
    desk = small(seed)
    desk.write(str(tmp_path / "w"), history=False)
    made = state(str(tmp_path / "w"))
    assert list(problems(made, made, desk.plants, unsafe=bool(seed % 2))) == []
