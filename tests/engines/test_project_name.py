from pathlib import Path

import pytest

from ctxkit.engines.project_name import name_project


@pytest.mark.parametrize("form", ["directory", "file"])
def test_a_project_is_the_nearest_directory_with_git(tmp_path: Path, form: str) -> None:
    deep = tmp_path / "project" / "src" / "deep"
    deep.mkdir(parents=True)
    mark = tmp_path / "project" / ".git"
    mark.mkdir() if form == "directory" else mark.write_text("gitdir: elsewhere")
    names = {name_project(str(path)) for path in (deep, deep.parent, tmp_path / "project")}
    assert len(names) == 1
    assert name_project(str(tmp_path)) not in names


def test_without_git_it_is_the_directory_itself_whatever_path_leads_there(tmp_path: Path) -> None:
    (tmp_path / "one" / "two").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "one")
    one, two, link = (name_project(str(tmp_path / path)) for path in ("one", "one/two", "link"))
    assert one == link != two
    assert len(one) == 16


def test_a_name_tells_nothing_of_the_path(tmp_path: Path) -> None:
    assert tmp_path.name not in name_project(str(tmp_path))
