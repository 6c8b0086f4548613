"""Drawn directories must not show what is gone."""

import pytest

from ctxkit.core.lint.document.workspace import RemovedPath
from ctxkit.core.lint.rules import references
from tests.core.lint.asked import asked

PASTS = {
    "web/src/old.ts": RemovedPath("3f2a91c", "2026-01-02", "web/src/new.ts"), "web/src/lib": RemovedPath("aaaaaaa", "2026-01-03"),
    "web/src/a.ts": RemovedPath("bbbbbbb", "2026-01-04"), "web/src/b.ts": RemovedPath("ccccccc", "2026-01-05"),
}  # fmt: skip
THERE = {"web/src/new.ts": "x", "web/src/app.ts": "x", "web/package.json": "{}"}
TREE = "web/\n├── src/\n│   ├── app.ts\n│   ├── old.ts\n│   └── new.ts\n└── package.json\n"


def told(tree: str, path: str = "AGENTS.md", before: str = "") -> list[str]:
    found = asked(references, {path: f"{before}```\n{tree}```\n", **THERE}, history=PASTS.get)
    return [f"{finding.code} {finding.line} {finding.message}" for finding in found]


def test_an_entry_that_was_renamed_is_stale() -> None:
    (message,) = told(TREE)
    assert message == (
        "REF001 5 the drawn directories show a path that is gone: `src/old.ts` (renamed to web/src/new.ts in 3f2a91c, 2026-01-02)"
    )
    assert told(TREE.removeprefix("web/\n"), "web/AGENTS.md") != []


def test_the_entries_of_one_drawing_are_one_finding() -> None:
    (message,) = told(TREE.replace("└── new.ts", "├── a.ts\n│   ├── b.ts\n│   ├── lib/\n│   └── new.ts"))
    assert "4 paths that are gone" in message
    assert message.endswith(", and 1 more")


@pytest.mark.parametrize(
    ("tree", "before"),
    [
        (TREE.replace("old.ts", "never.ts"), ""), (TREE.replace("old.ts", "old.ts  # removed in May"), ""), (TREE, "## Planned\n\n"),
        (TREE, "An example:\n\n"), (TREE.replace("new.ts", "x.ts").replace("app", "y").replace("package", "z"), ""),
        ("├── web/src/old.ts\n└── web/src/new.ts\n", ""),
    ],
)  # fmt: skip
def test_what_is_not_known_to_be_gone_or_of_this_project_is_none(tree: str, before: str) -> None:
    assert told(tree, before=before) == []
