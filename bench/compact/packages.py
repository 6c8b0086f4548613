"""Packages of PyPI that only this bench needs: installed once into a folder of the cache, never beside ctxkit."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from bench.reference import directory

_ONE = Lock()
PINNED = ("langchain-core==1.1.0", "openai==3.54.0", "anthropic==2.12.0", "google-genai==3.6.1", "ollama==0.6.3")


@contextmanager
def importing(*names: str) -> Iterator[None]:
    """Make packages importable, installing them where they are not there yet.

    Raises subprocess.CalledProcessError where they cannot be had.
    """
    folder = os.path.join(directory(), f"python{sys.version_info[0]}.{sys.version_info[1]}", "compact")
    with _ONE:
        _install(folder, names)
        if folder not in sys.path:
            sys.path.append(folder)
    yield


def _install(folder: str, names: tuple[str, ...]) -> None:
    mark = os.path.join(folder, "-".join(PINNED).replace("=", ""))
    if not os.path.exists(mark):
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", folder]
        subprocess.run([*pip, "--upgrade", *PINNED], check=True, capture_output=True)
        with open(mark, "w", encoding="utf-8") as file:
            file.write(" ".join(names))
