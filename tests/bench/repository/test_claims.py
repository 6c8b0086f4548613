"""What is read off maps and listings."""

from bench.repository.claims import read_aider_map, read_map, read_rows

MAP = """# cakes/ (9 files, 1 KB, 5 definitions): a map, not the content; numbers are lines

## ./ (2 of 3 files)
- README.md, setup.py
## cakes/ (2 files)
- core.py: 3 Oven(4 bake,9 Oven.cool),20 sell
  - 30 def pay(price: int) -> None
- __init__.py
## lib/one.py: 7 Box.get
## Other files: tests/ (4 files)

To read a part: sed -n '3,5p' cakes/core.py
"""


def test_a_map_names_files_and_definitions_with_lines() -> None:
    claims = read_map(MAP)
    assert claims.files == {"README.md", "setup.py", "cakes/core.py", "cakes/__init__.py", "lib/one.py"}
    assert {place for place in claims.places if place[2] != 30} == {
        ("cakes/core.py", "Oven", 3),
        ("cakes/core.py", "bake", 4),
        ("cakes/core.py", "cool", 9),
        ("cakes/core.py", "sell", 20),
        ("lib/one.py", "get", 7),
    }
    assert ("cakes/core.py", "pay", 30) in claims.places


def test_a_map_of_aider_has_no_lines() -> None:
    claims = read_aider_map("\ncore.py:\n⋮\n│class Oven:\n│    def bake(self):\n⋮\n\nshop.py\n")
    assert claims.files == {"core.py", "shop.py"}
    assert claims.names == {("core.py", "Oven"), ("core.py", "bake")}
    assert claims.places == set()


def test_rows_without_a_name_claim_a_file() -> None:
    claims = read_rows(iter([("a.py", "", 0), ("b.py", "c", 3)]))
    assert (claims.files, claims.places) == ({"a.py", "b.py"}, {("b.py", "c", 3)})
