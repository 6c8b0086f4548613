import subprocess
import sys
from importlib import import_module
from threading import Thread

import pytest

from ctxkit.edge.lazy_module import LazyModule, import_lazily

NAME = "this_module_is_rarely_used"


@pytest.fixture
def rare(tmp_path, monkeypatch):
    (tmp_path / f"{NAME}.py").write_text("from time import sleep\nsleep(0.05)\nvalue = object()\n")
    (tmp_path / "its_user.py").write_text(f"import {NAME}\ndef use():\n    return {NAME}.value\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in (NAME, "its_user"):
        sys.modules.pop(name, None)


def import_user():
    with import_lazily(NAME):
        return import_module("its_user")


def test_a_library_gets_the_module_when_it_uses_it(rare) -> None:
    user = import_user()
    assert NAME not in sys.modules
    assert user.use() is user.use()
    assert user.use() is sys.modules[NAME].value
    assert not isinstance(sys.modules[NAME], LazyModule)


def test_an_import_after_the_block_gets_the_module_itself(rare) -> None:
    import_user()
    module = import_module(NAME)
    assert not isinstance(module, LazyModule)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = module.no_such_name


def test_a_name_that_the_library_imports_at_once_is_there(rare, tmp_path) -> None:
    (tmp_path / "its_user.py").write_text(f"from {NAME} import value\n")
    user = import_user()
    assert user.value is sys.modules[NAME].value


def test_a_module_that_is_loaded_stays(rare) -> None:
    module = import_module(NAME)
    with import_lazily(NAME):
        assert sys.modules[NAME] is module
    assert sys.modules[NAME] is module


def test_threads_that_use_it_first_at_the_same_time_get_the_same(rare) -> None:
    user, found = import_user(), []
    threads = [Thread(target=lambda: found.append(user.use())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len({id(value) for value in found}) == 1


def test_a_missing_attribute_is_an_error(rare) -> None:
    user = import_user()
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = getattr(user, NAME).no_such_name


def test_a_command_runs_without_inspect_and_help_with_it() -> None:
    code = "import sys\nfrom ctxkit.main import cli\n{}\nsys.exit('inspect' in sys.modules)"
    for use, status in (("", 0), ("from click import core; core.inspect.cleandoc('a')", 1)):
        assert subprocess.run([sys.executable, "-c", code.format(use)]).returncode == status
