import pytest

from ctxkit.core.lint.document.rule import INFO, WARNING
from ctxkit.core.lint.rules import links
from tests.core.lint.asked import asked

FILES = {"docs/style.md": "# Style\n\n## Naming things (new)\n\nx\n"}


def dead(text, path="AGENTS.md", **more):
    return [one.code for one in asked(links, {path: f"{text}\n", **FILES, **more})]


@pytest.mark.parametrize("text", ["[x](docs/sytle.md)", "[x](./gone/)", "[x]: docs/gone.md", "![x](img.png)", "# A\n\n[x](#b)"])
def test_a_dead_link_is_told_of(text: str) -> None:
    assert dead(text) == ["REF005"]


@pytest.mark.parametrize(
    "text",
    ["[x](docs/style.md)", "[x](/docs/style.md)", "[x](https://example.org/a)", "[x](mailto:a@b.c)", "[x](<path>)", "`[x](gone.md)`",
     "```\n[x](gone.md)\n```", "[x](../outside.md)", "- a['b']: 0.85", "For example: [x](gone.md)", "[Docs](/concepts/agents)",
     "# A\n\n[x](#a)", '# A\n\n<a id="b"></a>\n[x](#b)', "# A ⭐\n\n[x](#a)", "[x](AGENTS.md#L12)", "[x](docs)"],
)  # fmt: skip
def test_a_live_link_is_none(text: str) -> None:
    assert dead(text) == []


def test_a_memory_is_only_told_of_it() -> None:
    assert [one.severity for one in asked(links, {"MEMORY.md": "[x](gone.md)\n", "AGENTS.md": "[x](gone.md)\n"})] == [WARNING, INFO]


def test_a_heading_that_goes_on_behind_the_anchor_is_found_by_a_reader() -> None:
    assert dead("# T\n\n## Naming things ⭐ NEW\n\nSee [x](#naming-things).") == []
    assert dead("# T\n\n## Namingthings\n\nSee [x](#naming).") == ["REF005"]


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("../docs/style.md", "the link points to a missing file: ../docs/style.md; there is docs/style.md"),
        ("../gone/a.md", "the link points to a missing file: ../gone/a.md"),
        ("../../docs/style.md", None),
        ("../../../docs/style.md", None),
    ],
)
def test_a_path_upwards_begins_in_its_own_directory(link: str, message: str | None) -> None:
    files = {"apps/web/AGENTS.md": f"See [x]({link}).\n", **FILES}
    assert [finding.message for finding in asked(links, files)] == ([message] if message else [])


def test_many_links_to_a_lost_directory_above_are_one_fact() -> None:
    text = "\n".join(f"[x{at}](../lost/{at}.md)" for at in range(5))
    (finding,) = asked(links, {"apps/AGENTS.md": f"{text}\n", **FILES})
    assert finding.message == "5 links point to files below ../lost, and there is no such directory"


def test_many_links_to_files_of_another_directory_are_one_fact() -> None:
    text = "\n".join(f"[x{at}](x{at}.md)" for at in range(5))
    (finding,) = asked(links, {"apps/AGENTS.md": f"{text}\n", **{f"docs/x/x{at}.md": "x" for at in range(5)}})
    assert finding.message == "5 links point to files that are in docs/x instead"


@pytest.mark.parametrize("text", ['Write "see [x](gone.md)." at the end.', "Write „siehe [x](gone.md)“ there."])
def test_a_link_in_quotation_marks_is_text_for_another_place(text: str) -> None:
    assert dead(text) == []
    assert dead('A "word", [x](gone.md), and "another".') == ["REF005"]


def test_a_target_is_reported_once_for_a_file() -> None:
    assert dead("[x](docs/gone.md)\n\n[y](docs/gone.md) and [z](docs/away.md)") == ["REF005", "REF005"]


def test_a_long_line_of_brackets_takes_little_time() -> None:
    assert dead("[" * 100_000 + "](") == []


def test_links_of_templates_and_behind_wiki_links_are_none() -> None:
    assert dead("[x](docs/gone.md)", path="templates/app/AGENTS.md") == []
    assert dead("Move it to [[project_site-deploy]](site-name.com).") == []
    assert dead("See [the [inner] text](docs/gone.md).") == ["REF005"]


def test_a_link_from_the_root_of_a_site_may_stand_below_a_directory() -> None:
    assert dead("[x](/skills/bash.md)", **{"website/static/skills/bash.md": "x"}) == []
    assert dead("[x](/skills/bash.md)") == ["REF005"]


def test_links_behind_a_broken_fence_may_be_code() -> None:
    text = "[x](docs/gone.md)\n\n```markdown\n```bash\nmake\n```\n[y](docs/away.md)\n```\n\nRules."
    assert [finding.line for finding in asked(links, {"AGENTS.md": f"{text}\n"})] == [1]


def test_links_of_an_agent_that_has_no_live_one_are_examples() -> None:
    path, dead_links = ".claude/agents/tutor.md", "[a](./01-start.md)\n\n[b](./02-end.md)"
    assert dead(dead_links, path) == []
    assert dead(f"{dead_links}\n\n[c](../../docs/style.md)", path) == ["REF005", "REF005"]
    assert dead("[a](./01-start.md)", path) == ["REF005"]


def test_links_of_a_day_and_into_a_home_are_none() -> None:
    assert dead("[a](gone.md)", "memory/2026-01-01.md") == []
    assert dead("[a](/home/mira/app/gone.md)") == []


def test_links_of_notes_on_a_subject_are_told_of() -> None:
    assert dead("[a](gone.md)", "memory/project_x.md")
    assert not dead("[a](gone.md)", "memory/2026-02-03-notes.md")
    assert not dead("[a](gone.md)", "memory/SESSION_41308070.md")


def test_links_of_cursor_go_out_from_the_root() -> None:
    files = {".cursor/rules/a.mdc": "[b](mdc:docs/b.md) [c](mdc:docs/c.md) [s](mdc:src)\n", "docs/b.md": "# B\n", "src/x.py": "x"}
    (finding,) = asked(links, files)
    assert finding.message == "the link points to a missing file: docs/c.md"


def test_an_address_with_one_slash_is_told_of_once() -> None:
    (finding,) = asked(links, {"AGENTS.md": "[a](mdc:https:/shop.dev/a)\n[b](https:/shop.dev/b)\n", "b.py": "x"})
    assert (finding.line, finding.message) == (1, "the address has one slash after https: instead of two")
    assert asked(links, {"AGENTS.md": "[a](mdc:https://shop.dev/a)\n[b](https://shop.dev/b)\n", "b.py": "x"}) == []


def test_many_links_to_a_directory_that_is_not_there_are_one_finding() -> None:
    text = "".join(f"- [{name}](backend/{name}.go)\n" for name in "abcd")
    (finding,) = asked(links, {"AGENTS.md": text, "b.py": "x"})
    assert finding.message == "4 links point to files below backend, and there is no such directory"
    assert [place.line for place in finding.related] == [2, 3, 4]
    assert len(asked(links, {"AGENTS.md": text, "backend/x.go": "x"})) == 4
    below = text.replace("backend/", "references/case/")
    (finding,) = asked(links, {".claude/skills/a/SKILL.md": below, ".claude/skills/a/references/x.md": "x"})
    assert finding.message == "4 links point to files below references/case, and there is no such directory"


def test_a_packaged_skill_links_to_what_it_keeps_in_other_projects() -> None:
    text = "See [lineage](.wiki/lineage.md).\n"
    assert asked(links, {"plugin/skills/a/SKILL.md": text, "b.py": "x"}) == []
    assert len(asked(links, {".claude/skills/a/SKILL.md": text, "b.py": "x"})) == 1
    assert len(asked(links, {"plugin/skills/a/SKILL.md": "See [x](references/x.md).\n", "b.py": "x"})) == 1


def test_a_heading_in_a_fence_is_an_anchor_because_the_fence_may_be_wrong() -> None:
    text = "[a](#rules) [b](#roads)\n\n```markdown\n```bash\nmake\n```\n```\n\n## Rules\n\n```\n# x\n```\n"
    assert [finding.message for finding in asked(links, {"AGENTS.md": text, "b.py": "x"})] == ["AGENTS.md has no heading for #roads"]


def test_a_link_of_a_template_whose_fence_ends_too_early_is_an_example() -> None:
    text = "```markdown\n```bash\nmake\n```\n\n- [Related](./related.md)\n```\n\n```bash\nmake\n```\n\n- [Other](./other.md)\n"
    assert [finding.line for finding in asked(links, {"AGENTS.md": text})] == [13]
