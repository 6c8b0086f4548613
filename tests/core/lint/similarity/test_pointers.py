import pytest

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.similarity.pointers import is_bare_pointer, is_index_entry, is_stub, points_to


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Narrate each call (see SOUL.md).", True),
        ("Details are in docs/soul.md, siehe soul.md", True),
        ("SOUL.md holds the tone.", False),
        ("See AGENTS.md for the tone.", False),
        ("See MYSOUL.md for the tone.", False),
    ],
)
def test_a_pointer_names_the_file_and_says_where_to_look(text: str, expected: bool) -> None:
    assert points_to(text, "home/SOUL.md") is expected


def test_a_bare_pointer_says_nothing_of_its_own() -> None:
    assert is_bare_pointer("See the [project root AGENTS.md](../AGENTS.md) for policies and workflows.")
    assert not is_bare_pointer("Narrate what you do before each tool call in one short sentence (see SOUL.md).")
    assert not is_bare_pointer("Read the file before you edit it.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- **Route handlers**: `rules/nextjs/route-handlers.mdc` — thin handlers, no logic", True),
        ("[Naming](docs/naming.md): names of files", True),
        ("`docs/naming.md` - names of files", True),
        ("Naming: @docs/naming.md", False),
        ("Write the names as `docs/naming.md` says", False),
        ("Run `make docs` after a change", False),
    ],
)
def test_an_entry_of_an_index_begins_with_the_file(text: str, expected: bool) -> None:
    assert is_index_entry(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Rules\n\nFollow `AGENTS.md` at the root. It is the source of truth.\n", True),
        ("Please refer to the central [AGENTS.md](AGENTS.md) for all conventions.\n", True),
        ("@AGENTS.md\n\n- Format with black.\n", True),
        ("- Format with black.\n- Never write a TODO.\n", False),
        ("See `docs/naming.md` for the names of files.\n", False),
        ("Read AGENTS.md first.\n" + "".join(f"- Rule {number} of this file\n" for number in range(12)), False),
    ],
)
def test_a_short_file_that_sends_its_reader_to_the_instructions_is_a_stub(text: str, expected: bool) -> None:
    assert is_stub(parse_document(".cursorrules", text.encode())) is expected


def test_instructions_that_name_themselves_are_no_stub() -> None:
    assert not is_stub(parse_document("AGENTS.md", b"Keep AGENTS.md short.\n"))
