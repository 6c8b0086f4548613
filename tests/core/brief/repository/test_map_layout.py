"""How files and definitions are laid out."""

from ctxkit.core.brief.repository.file_roles import Role
from ctxkit.core.brief.repository.map_items import MapItem
from ctxkit.core.brief.repository.map_layout import MapLayout, render_names
from ctxkit.core.brief.repository.repository_file import RepositoryFile, Symbol


def symbol(name: str, start: int, end: int, depth: int = 0, owner: str = "") -> Symbol:
    return Symbol(name, "class", start, end, depth, owner, f"class {name}")


BOX, GET, PUT, LID = symbol("Box", 1, 9), symbol("get", 2, 3, 1, "Box"), symbol("put", 4, 5, 1, "Box"), symbol("Lid", 10, 12)
FILES = [
    RepositoryFile("a.py", 1, Role.SOURCE, symbols=(BOX, GET, PUT, LID)),
    RepositoryFile("b b.py", 1, Role.SOURCE),
    RepositoryFile("c.py", 1, Role.SOURCE),
    RepositoryFile("lib/d.py", 1, Role.SOURCE, symbols=(LID,)),
    RepositoryFile("lib/e.py", 1, Role.SOURCE),
    RepositoryFile("lib/in/f\n.py", 1, Role.SOURCE, symbols=(LID,)),
]


def test_members_stand_in_parentheses_after_their_owner_or_have_its_name() -> None:
    assert render_names([BOX, GET, PUT, LID]) == "1 Box(2 get,4 put),10 Lid"
    assert render_names([GET, PUT, LID]) == "Box(2 get,4 put),10 Lid"
    assert render_names([PUT, LID]) == "4 Box.put,10 Lid"
    assert render_names([BOX, GET]) == "1 Box(2 get)"
    inner = symbol("Inner", 3, 5, 1, "Box")
    assert render_names([BOX, inner, symbol("go", 4, 4, 2, "Inner"), symbol("put", 6, 6, 1, "Box"), LID]) == (
        "1 Box(3 Inner(4 go),6 put),10 Lid"
    )
    assert render_names([]) == ""


def test_no_parts_leave_a_count_of_all_files() -> None:
    assert MapLayout(FILES).render([]) == "## Other files: ./ (3 files), lib/ (3 files)"
    assert MapLayout(FILES).render([], names_closed=False) == "## Other files: 2 directories (6 files)"


def test_each_file_is_named_or_counted_and_hostile_names_are_quoted() -> None:
    items = [MapItem(0), MapItem(0, 0), MapItem(0, 1), MapItem(0, 3, signed=True), MapItem(1), MapItem(5, 0)]
    assert MapLayout(FILES).render(items).split("\n") == [
        "## ./ (2 of 3 files)",
        "- a.py: 1 Box(2 get)",
        "  - 10 class Lid",
        "- 'b b.py'",
        '## "lib/in/f\\n.py": 10 Lid',
        "## Other files: lib/ (2 files)",
    ]
