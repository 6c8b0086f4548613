import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.rules import placement
from ctxkit.core.lint.rules.placement import MOST_BRACES, expand_braces, split_patterns
from tests.core.lint.asked import asked

RULE = ".claude/rules/a.md"


def found(files: dict[str, str], **listing) -> list[tuple[str, str]]:
    return [(finding.code, finding.path) for finding in asked(placement, files, **listing)]


@pytest.mark.parametrize(
    ("path", "is_lost"),
    [
        (".cursor/rules/a.md", True),
        ("web/.cursor/rules/a/b.md", True),
        (".cursor/rules/README.md", False),
        (".cursor/rules/a/RULE.md", False),
        (".cursor/rules/a.mdc", False),
        (".claude/skills/SKILL.md", True),
        (".claude/skills/a/SKILL.md", False),
        (".claude/skills/a.md", True),
        (".claude/skills/_shared.md", False),
        (".claude/skills/README.md", False),
        (".claude/skills/_archive/a.md", False),
        (".github/instructions/a.md", True),
        (".github/instructions/a.instructions.md", False),
        (".github/prompts/a.md", False),
        (".github/prompts/a.prompt.md", False),
        (".claude/rules/a.mdc", True),
    ],
)
def test_files_that_no_host_loads_are_found(path: str, is_lost: bool) -> None:
    assert found({path: "x\n"}) == ([("STR004", path)] if is_lost else [])


def test_the_lost_files_of_a_directory_are_one_finding() -> None:
    (finding,) = asked(placement, {f".cursor/rules/{name}.md": "x\n" for name in "abc"})
    assert finding.message.endswith("(and 2 more)")
    assert [place.path for place in finding.related] == [".cursor/rules/b.md", ".cursor/rules/c.md"]


@pytest.mark.parametrize(
    ("path", "field", "value", "is_dead"),
    [
        (RULE, "paths", "src/**/*.ts", False),
        (RULE, "paths", "src/**/*.{js,ts}", False),
        (RULE, "paths", "'*.ts'", False),
        (RULE, "paths", "server/**, lib/*", True),
        (RULE, "paths", "server/**, src/*", True),
        (RULE, "paths", "*.py, src/*", False),
        (RULE, "paths", "'src/[ab]/**', src/*", False),
        (RULE, "paths", "[src/a/**, 'src/**']", False),
        (".cursor/rules/a.mdc", "globs", "app/*.py,app/*.pyi", True),
        (".cursor/rules/a.mdc", "globs", "*.py,*.pyi", False),
        (".github/instructions/a.instructions.md", "applyTo", "app/**/*.rb", True),
        (".github/instructions/a.instructions.md", "applyTo", "**/*.rb", False),
        (".kiro/steering/a.md", "fileMatchPattern", "components.rb", True),
        (".kiro/steering/a.md", "fileMatchPattern", "**/migrations/**", False),
        ("templates/.claude/rules/a.md", "paths", "server/**", False),
        (RULE, "description", "server/**", False),
    ],
)
def test_patterns_that_match_no_file_are_found(path: str, field: str, value: str, is_dead: bool) -> None:
    files = {path: f"---\n{field}: {value}\n---\nx\n", "src/a/b.ts": "x", "src/c.ts": "x"}
    assert found(files) == ([("STR005", path)] if is_dead else [])


@pytest.mark.slow
def test_many_patterns_without_a_file_take_little_time() -> None:
    paths = ",".join(f"src/**/{number}/**" for number in range(150))
    files = {f".claude/rules/{name}.md": f"---\npaths: '{paths}'\n---\nx\n" for name in "abc"}
    files |= {f"src/{number}/{'a/' * 9}b.ts": "" for number in range(200, 800)}
    began = time.process_time()
    assert [code for code, _ in found(files)] == ["STR005"] * 3
    assert time.process_time() - began < 5


def test_a_pattern_of_an_ignored_file_may_match() -> None:
    files = {RULE: "---\npaths: .env\n---\nx\n"}
    assert found(files) == [("STR005", RULE)]
    assert found(files, is_ignored=lambda path: path == ".env") == []


def test_local_files_that_git_does_not_ignore_are_found() -> None:
    files = {".claude/settings.local.json": "{}", "web/CLAUDE.local.md": "x\n", "settings.local.json": "{}"}
    expected = [("STR007", ".claude/settings.local.json"), ("STR007", "web/CLAUDE.local.md")]
    assert found(files, is_ignored=lambda _: False) == expected
    assert found(files) == []  # nothing is known of git


@pytest.mark.parametrize(
    ("text", "is_personal"),
    [
        ("Run /Users/mira/dev/shop/check.sh", True),
        ("Run `/home/mira/shop/check.sh`", True),
        ("See C:\\Users\\mira\\shop\\a.md", True),
        ("```sh\ncd /Users/mira/shop\n```", True),
        ("Run /Users/yourname/dev/check.sh", False),
        ("Run C:\\Users\\JohnDoe\\check.bat", False),
        ("Run /home/user/check.sh", False),
        ("Run /home/runner/work/x", False),
        ("`ssh shop 'cd /home/mira/shop && make'`", False),
        ("docker compose exec dev bash -c 'cd /home/mira/shop && npm ci'", False),
        ("`kubectl exec pod -- cat /home/mira/log/a`", False),
        ("Mount it at /home/repos/shop", False),
        ("The prod box has it at /home/mira/shop/app", False),
        ("`rsync -a dist/ mira@shop.example:/home/mira/shop`", False),
        ('"bin": "/Users/john/www/target/debug/tool"', False),
        ("See https://x.org/home/mira/a", False),
        ("The route /Users/list", False),
        ("C:/Users/.../a", False),
        ("The key has `-` for `/`. For example:\n`/Users/mira/dev/shop` is `-Users-mira-dev-shop`", False),
        ("**Verified 2026-07-31 on `/Users/mira/papers/a.pdf`:**", False),
        ("| Cache | `/home/mira/.cache/shop` | `ssh shop 'ls'` |", False),
        ("`ssh shop 'cd /home/mira/shop'`\n\n`cat /home/mira/shop/log`", False),
        ("✅ **CORRECT**:\n- `a/b.md`\n- `/home/mira/shop/spec.md`\n", False),
        ("Run these:\n- `a/b.md`\n- `/home/mira/shop/spec.md`\n", True),
        ("### Examples\n\n- `ingest /home/mira/notes/foo.md`", False), ("Run `/home/x/check.sh`", False),
        ("`ssh-keygen -f /home/scan_svc/.ssh/id`", False),
        ("For example, mocks come first.\nThen run `/home/mira/shop/check.sh`", True),
    ],
)
def test_paths_in_the_home_of_one_person_are_found(text: str, is_personal: bool) -> None:
    assert found({"AGENTS.md": f"{text}\n"}) == ([("STR008", "AGENTS.md")] if is_personal else [])


def test_a_home_is_reported_once_in_a_file_and_not_in_a_memory() -> None:
    text = "- /Users/mira/a/b\n- /Users/mira/c/d\n"
    assert len(found({"AGENTS.md": text})) == 1
    assert found({"MEMORY.md": text}) == []


def test_lists_are_split_at_commas_outside_of_braces() -> None:
    assert split_patterns("a/*.{js,ts}, 'b' ,,\"c\"") == ["a/*.{js,ts}", "b", "c"]


def test_braces_are_expanded() -> None:
    assert expand_braces("{a,b}/*.{js,ts}") == ["a/*.js", "a/*.ts", "b/*.js", "b/*.ts"]
    assert expand_braces("a{") == ["a{"]


@given(st.text(alphabet="ab,{}*/", max_size=60))
def test_any_pattern_is_expanded_to_few(text: str) -> None:
    for part in split_patterns(text):
        assert 0 < len(expand_braces(part)) <= MOST_BRACES


def test_braces_expand_to_a_bounded_number() -> None:
    many = "{" + ",".join("abc" for _ in range(1_000)) + "}"
    assert len(expand_braces(f"{many}/{many}/{many}")) <= MOST_BRACES
