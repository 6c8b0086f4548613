"""Maps of repositories: within their target, the same each time, and true to the files."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.repository.file_roles import Role
from ctxkit.core.brief.repository.file_scan import scan_file
from ctxkit.core.brief.repository.repository_file import RepositoryFile
from ctxkit.core.brief.repository.repository_map import Repository, make_repository_map, render_one_line
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.engines.syntax import find_definitions

HINT = Hint(PRESETS["sed"])
NAMES = st.sampled_from(["make_cake", "Oven", "bake", "text", "get", "_hidden"])
BODIES = st.sampled_from(["pass", "make_cake(1)", "Oven().bake()", "from core import Oven", "text = 1"])


def count(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]|\s", text))


@st.composite
def sources(draw: st.DrawFn) -> str:
    """Return a module with functions and classes on various lines."""
    parts = []
    for name in draw(st.lists(NAMES, max_size=5)):
        body = draw(BODIES)
        blank = "\n" * draw(st.integers(0, 3))
        function = f"def {name}(a,\n        b=2) -> int:\n    {body}\n"
        parts.append(blank + draw(st.sampled_from([function, f"class {name}:\n    def bake(self):\n        {body}\n"])))
    return "".join(parts)


PATHS = st.sampled_from(
    ["core.py", "a/b.py", "a/c d.py", "tests/test_a.py", "vendor/x.py", "README.md", "a\nb.py", "z/\x1b[2J.py", "k.bin"]
)
TREES = st.dictionaries(PATHS, sources(), max_size=7)


def make_repository(tree: dict[str, str]) -> Repository:
    files = [scan_file(path, text.encode(), find_definitions) for path, text in sorted(tree.items())]
    return Repository("cakes/", "cakes/", files)


@pytest.mark.slow
@given(TREES, st.integers(0, 700))
def test_a_map_is_within_its_target_and_the_same_each_time(tree: dict[str, str], target: int) -> None:
    made = make_repository_map(make_repository(tree), HINT, count, target)
    assert made == make_repository_map(make_repository(tree), HINT, count, target)
    if made is None:
        assert count(render_one_line(make_repository(tree))) > target
        return
    assert count(made.text) == made.tokens <= target
    assert made.text.replace("\n", "").isprintable()


@given(TREES, st.integers(60, 700))
def test_a_number_before_a_name_is_its_line_and_a_signature_is_text_of_it(tree: dict[str, str], target: int) -> None:
    made = make_repository_map(make_repository(tree), HINT, count, target)
    for path, line, label in read_claims(made.text if made else ""):
        text = "".join("\n".join(tree[path].split("\n")[line - 1 :]).split())
        assert "".join(label.rpartition(".")[2].split()) in text, (path, line, label)


@given(TREES, st.integers(60, 700))
def test_each_file_is_named_or_counted_once(tree: dict[str, str], target: int) -> None:
    made = make_repository_map(make_repository(tree), HINT, count, target)
    rows = made.text.split("\n\n") if made else []
    if len(rows) < 2 or not tree:
        return
    rows = rows[1].split("\n")
    singles = [row for row in rows if re.match(r"## .*\.(py|md|bin)['\"]?(:|$)", row)]
    shared = [row for row in rows if re.match(r"## (?!Other).* \(.*files?\)$", row)]
    others = [int(number) for row in rows if row.startswith("## Other") for number in re.findall(r"\((\d+) files?", row)]
    assert sum(others) + len(singles) + sum(int(re.findall(r"(\d+) files?\)", row)[0]) for row in shared) == len(tree)


def read_claims(text: str) -> list[tuple[str, int, str]]:
    """Return the path, the line and the label of each definition on a map whose paths need no quotes."""
    claims: list[tuple[str, int, str]] = []
    directory = path = ""
    for row in text.split("\n"):
        if match := re.fullmatch(r"## (\S+/) \(.*\)", row):
            directory = match[1].removeprefix("./")
        elif match := re.fullmatch(r"(## |- )([^\s']+\.(?:py|md))(?:: ?(.*))?", row):
            path = match[2] if match[1] == "## " else directory + match[2]
            claims += [(path, int(line), label) for line, label in re.findall(r"(\d+) ([\w.]+)", match[3] or "")]
        elif match := re.fullmatch(r"  - (\d+) (.*)", row):
            claims.append((path, int(match[1]), match[2]))
        else:
            path = ""
    return [claim for claim in claims if claim[0]]


def test_more_tokens_name_more() -> None:
    tree = {f"m{number}.py": f"def make_{number}(a: int) -> int:\n    pass\n" for number in range(60)}
    sizes = [make_repository_map(make_repository(tree), HINT, count, target) for target in (100, 300, 900, 4000)]
    named = [(made.named_files, made.named_definitions) for made in sizes if made]
    assert named == sorted(named)
    assert named[0][0] < named[1][0] < named[2][0]
    assert named[1][1] < named[-1][1] == 60
    assert sizes[-1]
    assert "  - 1 def make_7(a: int) -> int" in sizes[-1].text


def test_the_last_line_reads_the_definition_that_counts_most() -> None:
    tree = {"core.py": "\n\ndef make_cake():\n    pass\n", "a.py": "from core import make_cake\n"}
    made = make_repository_map(make_repository(tree), HINT, count, 400)
    assert made
    assert made.text.endswith("\n\nTo read a part: sed -n '3,4p' cakes/core.py\n")
    template = HINT._replace(template="read {name} {start}-{end}")
    made = make_repository_map(make_repository(tree), template, count, 400)
    assert made
    assert made.text.endswith("To read a part: read cakes/core.py 3-4\n")


@pytest.mark.parametrize(("target", "text"), [(30, "cakes/ (2 files, 12 bytes)\n"), (5, None)])
def test_a_small_target_leaves_one_line_or_nothing(target: int, text: str | None) -> None:
    made = make_repository_map(make_repository({"a.py": "a = 11", "b.py": "b = 22"}), HINT, count, target)
    assert (made and made.text) == text


def test_an_empty_directory_has_a_header_alone() -> None:
    made = make_repository_map(Repository("none/", "none/", []), HINT, count, 100)
    assert made
    assert made.text == "# none/ (0 files, 0 bytes, 0 definitions): a map, not the content\n"


def test_files_that_were_not_read_are_counted_by_reason() -> None:
    files = [RepositoryFile(f"{name}.py", 9, Role.SOURCE, "python", skipped=why) for name, why in zip("abc", "xxy", strict=False)]
    made = make_repository_map(Repository("r/", "r/", files), HINT, count, 100)
    assert made
    assert "\nNot read: 3 source files (2 x, 1 y)\n" in made.text
