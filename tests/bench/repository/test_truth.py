"""What Python's own parser says that other files use."""

from pathlib import Path

from bench.repository.truth import Symbol, find_uses, list_symbols

FILES = {
    "__init__.py": "from .core import Oven as Oven\n",
    "core.py": "class Oven:\n    def heat_up(self): pass\n    def get(self): pass\n\ndef helper(): pass\nhelper()\n",
    "shop.py": "from . import core\nfrom shop import Oven\nOven().heat_up().get()\ncore.helper()\n",
    "late.py": "def go():\n    from .core import helper\n",
    "broken.py": "def (\n",
    "_vendor/copy.py": "def copied(): pass\n",
    "paste.py": "from ._vendor.copy import copied\n",
}


def test_uses_are_followed_through_imports_and_unique_methods(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    assert find_uses(str(root)) == {
        Symbol("core.py", 1, "Oven"): {"__init__.py", "shop.py"},
        Symbol("core.py", 2, "heat_up"): {"shop.py"},
        Symbol("core.py", 5, "helper"): {"late.py", "shop.py"},
    }
    assert [symbol.name for symbol in list_symbols(str(root)) if symbol.path == "core.py"] == [
        "Oven",
        "heat_up",
        "get",
        "helper",
    ]
