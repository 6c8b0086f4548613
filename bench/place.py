"""Where a run works: a temporary directory, the interpreter's own ctxkit, the corpora."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import Any

from bench.reference import directory

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHORTENED = 50
"""Divisor of sizes in a quick run."""


@dataclass(frozen=True)
class Place:
    """Know the temporary ``root`` of a run, and whether it is only a ``quick`` one.

    Of a suite of several, ``part`` is the one to run, empty for all. Fuzzing goes on for ``seconds`` from a ``seed``,
    or runs the case in the file ``replay`` again. ``folders`` are inputs other than the corpora. A ``full`` run feeds
    the endless session with its longest input, and ``tokens`` set another size of it.
    """

    root: str
    quick: bool = False
    part: str = ""
    seconds: float = 60
    seed: int = 1
    replay: str = ""
    folders: tuple[str, ...] = ()
    full: bool = False
    tokens: int = 0

    @cached_property
    def ctxkit(self) -> list[str]:
        """Return the command: the script beside this interpreter, which is what users start."""
        script = os.path.join(os.path.dirname(sys.executable), "ctxkit")
        return [script] if os.path.exists(script) else [sys.executable, "-m", "ctxkit"]

    @cached_property
    def corpora(self) -> str | None:
        """Return the directory of real inputs, None when there is none."""
        named = os.environ.get("CTXKIT_CORPORA") or os.path.join(PROJECT, "..", "shared", "corpora")
        return os.path.abspath(named) if os.path.isdir(named) else None

    def inputs(self, below: str = "") -> list[str]:
        """Return the paths of the corpora's files, relative to it and sorted."""
        if self.corpora is None:
            return []
        texts: list[str] = []
        for folder, folders, names in os.walk(os.path.join(self.corpora, below)):
            folders.sort()
            texts += [os.path.relpath(os.path.join(folder, name), self.corpora) for name in names]
        return sorted(texts)

    def data(self, path: str) -> bytes:
        """Return the bytes of one of the corpora's files."""
        with open(os.path.join(self.corpora or "", path), "rb") as file:
            return file.read()

    def path(self, name: str) -> str:
        """Return the path of a file in the temporary directory."""
        return os.path.join(self.root, name)

    def size(self, whole: int) -> int:
        """Return a size in bytes, less in a quick run."""
        return whole // SHORTENED if self.quick else whole

    def times(self, many: int) -> int:
        """Return how often to repeat, at most thrice in a quick run."""
        return min(many, 3) if self.quick else many

    def free(self) -> int:
        """Return the bytes that are free on the disk."""
        return shutil.disk_usage(self.root).free

    def forget(self) -> None:
        """Remove what ctxkit has stored so far."""
        for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME"):
            shutil.rmtree(os.environ[name], ignore_errors=True)


@contextmanager
def place(*, quick: bool, **options: Any) -> Iterator[Place]:
    """Enter a temporary place in which this process and its children keep their settings and stores."""
    before, home = dict(os.environ), os.getcwd()
    with TemporaryDirectory(prefix="ctxkit-bench-") as root:
        place_value = Place(root, quick, **options)
        place_value.corpora, place_value.ctxkit  # noqa: B018 - found before the environment changes
        references = directory()
        for name in [name for name in os.environ if name.startswith("CTXKIT_")]:
            del os.environ[name]
        os.environ.pop("XDG_RUNTIME_DIR", None)  # a server may listen there
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program is compiled; so is one measured here
        os.environ.update(
            HOME=root,
            XDG_CACHE_HOME=os.path.join(root, ".cache"),
            XDG_DATA_HOME=os.path.join(root, ".local", "share"),
            XDG_CONFIG_HOME=os.path.join(root, ".config"),
            CTXKIT_REFERENCES=references,
            CTXKIT_SERVER="false",
            LC_ALL="C.UTF-8",
            PYTHONPYCACHEPREFIX=os.path.join(root, "compiled"),
        )
        os.chdir(root)
        try:
            yield place_value
        finally:
            os.chdir(home)
            os.environ.clear()
            os.environ.update(before)
