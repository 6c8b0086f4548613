"""Commands of instructions must not name files that the history knows to be gone."""

import pytest

from ctxkit.core.lint.document.workspace import RemovedPath
from ctxkit.core.lint.rules import references
from tests.core.lint.asked import asked

PASTS = dict.fromkeys(
    ("src/gone.py", "fow.docker-compose.yaml", "src/shop/hooks/claude.py", "web/tool.sh", "setup.py"), RemovedPath("3f2a91c", "2026-01-02")
)
THERE = {"src/new.py": "x", "docker-compose.yaml": "x", "src/shop/cli.py": "x"}


def told(text: str, path: str = "AGENTS.md") -> list[tuple[str, int]]:
    found = asked(references, {path: text, **THERE}, history=PASTS.get)
    return [(finding.code, finding.line) for finding in found]


@pytest.mark.parametrize(
    "command",
    [
        "./src/gone.py --all", "$ python3 src/gone.py", "cat src/gone.py", "docker-compose -f fow.docker-compose.yaml up -d",
        "python -m shop.hooks.claude", "pytest src/new.py src/gone.py  # all tests",
    ],
)  # fmt: skip
def test_a_command_that_names_a_gone_file_is_stale(command: str) -> None:
    assert told(f"Run:\n\n```bash\n{command}\n{command}\n```\n") == [("REF001", 4)]


@pytest.mark.parametrize(
    "command",
    [
        "src/gone.py  # was removed", "src/new.py", "src/never.py", "touch src/gone.py", "app > src/gone.py", "app --output src/gone.py",
        "git clone https://example.org/a\ncd a\npython src/gone.py", "# python src/gone.py", "python -m shop.cli", "python setup.py build",
    ],
)  # fmt: skip
def test_a_command_may_make_a_file_or_run_elsewhere(command: str) -> None:
    assert told(f"Run:\n\n```bash\n{command}\n```\n") == []


def test_only_commands_of_instructions_count() -> None:
    text = "Run:\n\n```bash\npython src/gone.py\n```\n"
    assert told(text, ".claude/skills/a/SKILL.md") == []
    assert told(text.replace("bash", "text")) == []
    assert told(f"## Roadmap\n\n{text}") == []
    assert told("Run:\n\n```bash\n./tool.sh\n```\n", "web/AGENTS.md") == [("REF001", 4)]


def test_a_module_in_a_code_span_is_a_command() -> None:
    assert told("The hook runs `python3 -m shop.hooks.claude`.\n") == [("REF001", 1)]
    assert told("The hook ran `python3 -m shop.hooks.claude`, which was removed.\n") == []
    assert told("The hook runs `python3 -m shop.cli`.\n") == []
