import inspect
import json
import pydoc
import re
import subprocess
from types import ModuleType

import pytest

from ctxkit.core.brief.kinds import pydoc as kind


def render(thing: object) -> str:
    return pydoc.plain(pydoc.render_doc(thing, title="Help on %s:"))


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("module", [json, subprocess])
def test_functions_and_methods_are_listed_with_the_line_of_their_signature(trial, module: ModuleType) -> None:
    page = render(module)
    rows = page.split("\n")
    first = rows.index("FUNCTIONS") + 1
    text = trial(kind).map(page, target=4000)
    names = [name for name in module.__all__ if inspect.isfunction(getattr(module, name))]
    assert len(names) >= 4
    for name in names:
        number = next(at for at, row in enumerate(rows, 1) if at > first and re.match(rf"    {name}\(", row))
        assert re.search(rf"[ ,(]{number} {name}\b", text), name


def test_the_members_of_a_class_come_before_inherited_ones(trial) -> None:
    text = trial(kind).map(render(json.JSONDecodeError), target=200)
    assert "class JSONDecodeError(builtins.ValueError)" in text
    assert re.search(r"- \d+ __init__.*, \d+ __reduce__", text)
    assert "with_traceback" not in text


def test_what_the_page_holds_is_counted(trial) -> None:
    page = "Help on module m:\n\nNAME\n    m\n\nCLASSES\n    builtins.object\n        A\n\n    class A(builtins.object)\n"
    page += "     |  Methods defined here:\n     |\n     |  go(self)\n     |      Go.\n     |\n     |  stay(self) from builtins.type\n\nFUNCTIONS\n    f(a, *, b=1)\n"
    page += "        Do it.\n\n    g = f(a, *, b=1)\n\nFILE\n    /m.py\n"
    text = trial(kind).map(page, target=1000)
    assert "- 1 class; 4 signatures and names of members found" in text
    assert "13 go(self), 16 stay(self) from builtins.type" in text
    assert "19 f(a, *, b=1), 22 g = f(a, *, b=1)" in text


def test_text_that_only_begins_alike_is_not_help(trial) -> None:
    assert trial(kind).known("Help on the way to go:\nNothing here\n") != "pydoc"
    assert trial(kind).known("Help on module m:\nNothing here\n") != "pydoc"
