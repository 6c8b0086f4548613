"""What removes, renames or writes files: below ctxkit's own directories, the one class that follows no links alone."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import ctxkit

ROOT = Path(ctxkit.__file__).parent
CHANGES = {
    "os": {
        *("chmod", "chown", "lchown", "link", "makedirs", "mkdir", "mkfifo", "mknod", "remove", "removedirs", "rename"),
        *("renames", "replace", "rmdir", "symlink", "truncate", "unlink", "utime"),
    },
    "shutil": {"copy", "copy2", "copyfile", "copymode", "copystat", "copytree", "move", "rmtree", "chown", "unpack_archive"},
    "tempfile": {"NamedTemporaryFile", "TemporaryDirectory", "mkdtemp", "mkstemp"},
    "atomic_file": {"replace_file", "write"},
}
"""Functions that change files by their paths, or follow links."""
WRITES = re.compile(r"O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)")
MODULES = {"pathlib"}
"""Modules whose methods write, remove and rename by paths."""
CANDIDATE = re.compile(r"\bos\.|\bopen\(|sqlite3|" + "|".join(sorted({*CHANGES, *MODULES} - {"os"})))
"""Matches a module that may have such calls: to parse all of them takes seconds."""
DEVICES = {"'/dev/tty'", "os.devnull", "'/proc/self/oom_score_adj'"}
ALLOWED = {
    "system/own_files.py": "is the class itself, and makes the parents of ctxkit's own directories",
    "engines/database.py": "refuses links before it lets SQLite open a path",
    "engines/server/http_server.py": "removes the socket of a server, at the path that the user names",
    "edge/child.py": "removes the first part of an output, in the directory that its reader has made",
    "edge/atomic_file.py": "replaces a file that the user names, and files of a workspace with each directory of the path opened by itself",
    "edge/lint/writing.py": "fixes files of a workspace, and writes a baseline in it",
    "edge/promotion.py": "adds lines to a memory file of a workspace",
    "edge/settings_changes.py": "writes the settings file that the user names",
    "edge/trusted_dirs.py": "edits the user's own settings, which may be a link, as to a collection of dotfiles",
    "edge/host_directory.py": "edits the settings of hosts, which may be links, and makes and removes directories of hosts in the home",
    "edge/host_trial.py": "makes a temporary directory for a trial",
    "edge/events.py": "appends to the file that the user names",
    "edge/conversations.py": "rewrites the conversation that the user names",
    "edge/compaction.py": "writes files that the user names",
    "edge/tool_files.py": "writes the file that the user names",
}
"""Modules that change other files than those of ctxkit's own directories, each with the reason."""


def find_changes(source: str) -> list[str]:
    """Return the places at which a module changes files in another way than through StoreFolder."""
    tree = ast.parse(source)
    constants = {
        target.id: ast.unparse(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    descriptors = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _is_descriptor(node.value, set())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return [
        f"{getattr(node, 'lineno', 0)}: {text}"
        for node in ast.walk(tree)
        for text in _list_changes(node, constants, descriptors)
    ]


def _list_changes(node: ast.AST, constants: dict[str, str], descriptors: set[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (f"import {alias.name}" for alias in node.names if alias.name in MODULES)
    elif isinstance(node, ast.ImportFrom):
        module = (node.module or "").rpartition(".")[2]
        names = {alias.name for alias in node.names}
        if module in MODULES or names & CHANGES.get(module, set()):
            yield f"from {node.module} import {', '.join(sorted(names))}"
    elif (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in CHANGES.get(node.value.id, ())) or (isinstance(node, ast.Call) and _opens_for_writing(node, constants, descriptors)):
        yield ast.unparse(node)


def _opens_for_writing(call: ast.Call, constants: dict[str, str], descriptors: set[str]) -> bool:
    """Return whether a call opens a file or a database by its path, and may write to it."""
    if getattr(call.func, "attr", getattr(call.func, "id", "")) not in ("open", "fdopen", "connect"):
        return False
    function, arguments = ast.unparse(call.func), [ast.unparse(argument) for argument in call.args]
    if not arguments or arguments[0] in DEVICES:
        return False
    if function == "os.open":
        flags = re.sub(r"\b[A-Z_][A-Z_0-9]*\b", lambda name: constants.get(name[0], name[0]), arguments[1])
        return bool(WRITES.search(flags) or re.search(r"\bflags\b", flags))
    if function in ("open", "os.fdopen", "io.open"):
        keywords = [ast.unparse(keyword.value) for keyword in call.keywords if keyword.arg == "mode"]
        mode = next(iter(arguments[1:2] + keywords), "'r'")
        return bool(re.search(r"[wax+]", mode)) and not _is_descriptor(call.args[0], descriptors)
    return function.endswith("sqlite3.connect") and "mode=ro" not in arguments[0] and arguments[0] != "':memory:'"


def _is_descriptor(node: ast.AST, names: set[str]) -> bool:
    """Return whether an expression is a descriptor of a StoreFolder, or one that ``os.open`` returned."""
    if isinstance(node, ast.Name):
        return node.id in names
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("create", "open")


@pytest.mark.slow
def test_only_these_modules_change_files_without_the_class_that_follows_no_links() -> None:
    changes = {
        path.relative_to(ROOT).as_posix(): places
        for path in sorted(ROOT.rglob("*.py"))
        if path.relative_to(ROOT).parts[0] != "core"  # which import-linter keeps from importing os and others
        if CANDIDATE.search(source := path.read_text()) and (places := find_changes(source))
    }
    assert {name: places for name, places in changes.items() if name not in ALLOWED} == {}
    assert sorted(ALLOWED.keys() - changes.keys()) == [], "these need no reason any more"


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.unlink(path)",
        "import os\nremove = os.remove",
        "import os\nos.replace(draft, path)",
        "from os import rename",
        "import shutil\nshutil.rmtree(path)",
        "from shutil import rmtree",
        "from pathlib import Path\nPath(name).unlink()",
        "import tempfile\ntempfile.mkdtemp()",
        "open(path, 'w')",
        "open(path, mode='ab')",
        "open(path, encoding='utf-8', mode='r+')",
        "import os\nos.open(path, os.O_WRONLY | os.O_CREAT, 0o600)",
        "import os\n_FLAGS = os.O_RDWR\nos.open(path, _FLAGS)",
        "import os\ndef f(path, flags):\n    return os.open(path, flags)",
        "import os\nos.makedirs(path, exist_ok=True)",
        "import sqlite3\nsqlite3.connect(path)",
        "from ctxkit.edge import atomic_file\natomic_file.write(path, b'')",
        "from ctxkit.edge.atomic_file import replace_file",
    ],
)
def test_a_change_is_found(source: str) -> None:
    assert find_changes(source)


@pytest.mark.parametrize(
    "source",
    [
        "open(path)",
        "open(path, 'rb')",
        "open(folder.create(name), 'wb')",
        "file = folder.create(name)\nwith open(file, 'wb') as stream:\n    pass",
        "folder.remove(name)",
        "text.replace('a', 'b')",
        "import os\nos.open(path, os.O_RDONLY | os.O_NONBLOCK)",
        "import os\nos.open(os.devnull, os.O_RDWR)",
        "import shutil\nshutil.which('git')",
        "from tempfile import TemporaryFile",
        "import sqlite3\nsqlite3.connect(':memory:')",
        "import sqlite3\nsqlite3.connect(f'file:{path}?mode=ro', uri=True)",
    ],
)
def test_what_changes_nothing_by_its_path_is_not_found(source: str) -> None:
    assert not find_changes(source)
