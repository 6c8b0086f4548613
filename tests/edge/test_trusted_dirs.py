"""The user's file is edited in place: what else stands there stays, byte for byte."""

import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from ctxkit.core.errors import InputOutputError, SettingsError
from ctxkit.edge import trusted_dirs
from ctxkit.edge.trusted_dirs import find_fault, is_trusted, matches
from tests.example_counts import count_examples


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "src" / "mine" / "deep").mkdir(parents=True)
    (tmp_path / "evil").mkdir()
    (tmp_path / "src" / "link").symlink_to(tmp_path / "evil")
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "directory", "named"),
    [
        ("~/src/mine", "src/mine", True),
        ("~/src/mine/", "src/mine", True),
        ("~/src/mine", "src/mine/deep", False),
        ("~/src/mine", "src", False),
        ("~/src/*", "src/mine", True),
        ("~/src/*", "src/mine/deep", False),
        ("~/src/*", "src", False),
        ("~/src/*", "src/link", False),
        ("~/src/*", "evil", False),
        ("~/src/link", "evil", True),
        ("~/src/link", "src/link", True),
        ("~", ".", True),
        ("/*", "/", False),
        ("/", "/", True),
        ("~nobody-of-that-name/src", "src", False),
    ],
)
def test_a_pattern_names_one_directory_or_the_children_of_one(
    root: Path, pattern: str, directory: str, named: bool
) -> None:
    assert matches(pattern, os.path.join(root, directory)) is named


@pytest.mark.parametrize("pattern", ["~/*/src", "/a/b*", "/a/**", "src", "./src", "", "*", "/a\0b"])
def test_other_patterns_are_faults(pattern: str) -> None:
    assert find_fault(pattern)


@pytest.mark.parametrize("pattern", ["/a", "~/a", "~", "/a/*", "/a?[b]", "/"])
def test_directories_are_none(pattern: str) -> None:
    assert find_fault(pattern) == ""


def test_without_patterns_nobody_is_trusted(root: Path) -> None:
    assert not is_trusted(str(root), ())
    assert is_trusted(str(root / "src" / "mine"), ("/none", "~/src/mine"))


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path / "config" / "ctxkit" / "config.toml"


def written(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())


ADDED = [
    ("", 'trusted = ["/new"]\n'),
    ("window = 1", 'window = 1\ntrusted = ["/new"]\n'),
    ("window = 1\n", 'window = 1\ntrusted = ["/new"]\n'),
    ("window = 1\r\n", 'window = 1\r\ntrusted = ["/new"]\r\n'),
    ("\ufeffwindow = 1\n", '\ufeffwindow = 1\ntrusted = ["/new"]\n'),
    ("# mine\nwindow = 1 # big\n\n# of a model\n[models.a]\nwindow = 2\n",
     '# mine\nwindow = 1 # big\ntrusted = ["/new"]\n\n# of a model\n[models.a]\nwindow = 2\n'),
    ("[models.a]\nwindow = 2\n", 'trusted = ["/new"]\n\n[models.a]\nwindow = 2\n'),
    ("# all of it\n[lint]\n", '# all of it\ntrusted = ["/new"]\n\n[lint]\n'),
    ("a = [\n[1],\n]\n[b]\n", None),
    ('model = """\n[not a table]\n"""\n', None),
    ("trusted = []\n", 'trusted = ["/new"]\n'),
    ("trusted = [ ]\n[a]\n", 'trusted = ["/new" ]\n[a]\n'),
    ('trusted = ["/a"]  # mine\nwindow = 1\n', 'trusted = ["/a", "/new"]  # mine\nwindow = 1\n'),
    ("'trusted'=['/a',]\n", "'trusted'=['/a', \"/new\"]\n"),
    ('trusted = [\n    "/a",  # one ] two\n    "/b",\n]\n', 'trusted = [\n    "/a",  # one ] two\n    "/b",\n    "/new",\n]\n'),
    ('trusted = [\n  "/a"  # no comma\n]\n', 'trusted = [\n  "/a",  # no comma\n  "/new"\n]\n'),
    ('trusted = [\r\n\t"/a",\r\n]\r\n', 'trusted = [\r\n\t"/a",\r\n\t"/new",\r\n]\r\n'),
    ('trusted = ["/a",\n  "/b"]\n', None),
    ('model = """\ntrusted = ["no"]\n"""\ntrusted = ["/a"]\n', None),
    ('model = """\ntrusted = []\n"""\n', None),
]


@pytest.mark.parametrize(("before", "after"), ADDED)
def test_a_directory_is_added_and_the_rest_stays(file: Path, before: str, after: str | None) -> None:
    written(file, before)
    was = tomllib.loads(before.removeprefix("\ufeff"))
    trusted_dirs.add_directory("/new")
    text = file.read_bytes().decode()
    assert after is None or text == after
    assert tomllib.loads(text.removeprefix("\ufeff")) == {**was, "trusted": [*was.get("trusted", []), "/new"]}
    for line in before.removeprefix("\ufeff").split("\n"):
        assert "/" in line or "trusted" in line or line in text


REMOVED = [
    ('trusted = ["/new"]\n', "trusted = []\n"),
    ('trusted = ["/a", "/new"]\n', 'trusted = ["/a"]\n'),
    ('trusted = ["/new", "/a"] # x\n', 'trusted = ["/a"] # x\n'),
    ('trusted = [\n  "/a", # one\n  "/new", # two\n]\n', 'trusted = [\n  "/a", # one\n]\n'),
    ('trusted = [\n  "/a", # one\n  "/new" # two\n]\n', 'trusted = [\n  "/a", # one\n]\n'),
    ("trusted = ['/new', '/a', \"/new\"]\n[b]\n", None),
    ("trusted = ['''/new''', \"\"\"/b\"\"\"]\n", None),
    ('trusted = ["\\u002fnew", "/b"]\n', None),
]


@pytest.mark.parametrize(("before", "after"), REMOVED)
def test_a_directory_is_removed_and_the_rest_stays(file: Path, before: str, after: str | None) -> None:
    written(file, before)
    was = tomllib.loads(before)
    trusted_dirs.remove_entries(["/new"])
    text = file.read_text()
    assert after is None or text == after
    assert tomllib.loads(text) == {**was, "trusted": [one for one in was["trusted"] if one != "/new"]}


NAMES = st.lists(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0*"), max_size=8), max_size=4)


@pytest.mark.slow
@given(names=NAMES, name=st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0*"), max_size=20))
@hypothesis_settings(max_examples=count_examples(150), deadline=None)
def test_any_name_is_added_and_removed_again(tmp_path_factory: pytest.TempPathFactory, names: list[str], name: str) -> None:
    folder = tmp_path_factory.mktemp("config")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(folder))
        patch.setattr("sys.platform", "linux")
        for each in names:
            trusted_dirs.add_directory(f"/{each}")
        trusted_dirs.add_directory(f"/new/{name}")
        path = folder / "ctxkit" / "config.toml"
        assert tomllib.loads(path.read_bytes().decode())["trusted"] == [*(f"/{each}" for each in names), f"/new/{name}"]
        trusted_dirs.remove_entries([f"/new/{name}"])
        assert tomllib.loads(path.read_bytes().decode())["trusted"] == [f"/{each}" for each in names]


def test_a_new_file_is_the_user_s_alone(file: Path) -> None:
    trusted_dirs.add_directory("/new")
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert os.listdir(file.parent) == ["config.toml"]


def test_a_link_into_other_files_stays_one(file: Path, tmp_path: Path) -> None:
    (tmp_path / "dotfile").write_text("window = 1\n")
    file.parent.mkdir(parents=True)
    file.symlink_to(tmp_path / "dotfile")
    trusted_dirs.add_directory("/new")
    assert file.is_symlink()
    assert (tmp_path / "dotfile").read_text() == 'window = 1\ntrusted = ["/new"]\n'


@pytest.mark.parametrize("text", ["window = = 1\n", "trusted = 3\n", 'trusted = {a = "b"}\n', "\udcff"])
def test_what_cannot_be_edited_stays_as_it_is(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(SettingsError):
        trusted_dirs.add_directory("/new")
    assert file.read_bytes() == text.encode("utf-8", "surrogateescape")


def test_what_cannot_be_written_is_told(file: Path) -> None:
    file.parent.parent.write_text("a file where a directory should be")
    with pytest.raises(InputOutputError):
        trusted_dirs.add_directory("/new")
