"""What repeats a file that it points to, or the README."""

from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.paraphrase import find_pointers, find_source_copies
from tests.core.lint.places import workspace

RULE = "Narrate before each tool call in one short sentence."


def pointers(files):
    place = workspace(files)
    return [(unit.path, other.path) for unit, other in find_pointers(place, LoadSetIndex(place))]


def copies(files):
    return [(unit.path, source.path, score) for unit, source, score in find_source_copies(workspace(files))]


def test_a_pointer_that_repeats_its_file_is_found() -> None:
    files = {"AGENTS.md": "- Narrate before each tool call, in one short sentence (see SOUL.md).\n", "SOUL.md": f"- {RULE}\n"}
    assert pointers(files) == [("AGENTS.md", "SOUL.md")]


def test_a_bare_pointer_and_a_mention_are_none() -> None:
    assert pointers({"AGENTS.md": "- Narration: see SOUL.md.\n", "SOUL.md": f"- {RULE}\n"}) == []
    assert pointers({"AGENTS.md": "- Narrate before each tool call in one short sentence, SOUL.md.\n", "SOUL.md": f"- {RULE}\n"}) == []


def test_what_repeats_the_readme_or_the_manifest_is_found() -> None:
    text = "Fast HTTP client with retries and caching for services."
    assert copies({"AGENTS.md": f"{text}\n", "README.md": f"{text}\n"}) == [("AGENTS.md", "README.md", 1.0)]
    assert copies({"AGENTS.md": f"{text}\n", "package.json": f'{{"description": "{text}"}}'}) == [("AGENTS.md", "package.json", 1.0)]
    assert copies({"AGENTS.md": f"{text}\n", "README.md": "Something else stands here, in other words.\n"}) == []
