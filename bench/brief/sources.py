"""Real source files for the suite ``nav``: Python's own, and those of packages of pip, npm and apt, got once.

Some of them were never looked at while rules were written.
"""

import os
import re
import shutil
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from glob import glob

from bench.brief.cases import cache
from bench.brief.projects import Unavailable, sh

LEAST, MOST = 200, 8_000
"""Lines of a file."""
SIZE = 600_000
"""Bytes of a file."""


@dataclass(frozen=True, slots=True)
class Package:
    """Name a package of a registry, the files to take, how many of them, and whether tuning may look at them."""

    registry: str
    name: str
    language: str
    pattern: str
    files: int = 4
    held_out: bool = True


@dataclass(frozen=True, slots=True)
class File:
    """Hold one source file."""

    name: str
    path: str
    language: str
    data: bytes
    held_out: bool


def _list_seen(registry: str, name: str, language: str, pattern: str, files: int = 4) -> Package:
    return Package(registry, name, language, pattern, files, held_out=False)


PACKAGES = (
    _list_seen("stdlib", "python", "python", "*.py", 8),
    _list_seen("pip", "click==8.1.8", "python", "click/*.py"),
    _list_seen("npm", "rxjs@7.8.1", "typescript", "package/src/**/*.ts"),
    _list_seen("npm", "lodash@4.17.21", "javascript", "package/lodash.js"),
    _list_seen("npm", "express@4.19.2", "javascript", "package/lib/**/*.js", 3),
    _list_seen("apt", "golang-github-spf13-cobra-dev", "go", "usr/share/gocode/src/**/*.go"),
    _list_seen("apt", "librust-clap-dev", "rust", "usr/share/cargo/registry/*/src/**/*.rs"),
    _list_seen("npm", "@capacitor/android@6.2.0", "java", "package/**/*.java"),
    _list_seen("pip", "mypy==1.13.0", "c", "mypyc/lib-rt/*.c"),
    _list_seen("apt", "libfmt-dev", "cpp", "usr/include/fmt/*.h"),
    _list_seen("apt", "ruby-thor", "ruby", "usr/share/rubygems-integration/**/*.rb"),
    _list_seen("apt", "php-symfony-console", "php", "usr/share/php/**/*.php"),
    _list_seen("apt", "lua-penlight", "lua", "usr/share/lua/5.1/**/*.lua"),
    _list_seen("apt", "debootstrap", "bash", "usr/share/debootstrap/functions", 1),
    _list_seen("pip", "ansible-core==2.17.6", "csharp", "ansible/module_utils/csharp/*.cs", 2),
    _list_seen("npm", "expo-modules-core@2.0.0", "kotlin", "package/**/*.kt", 3),
    _list_seen("npm", "bootstrap@5.3.3", "scss", "package/scss/**/*.scss", 3),
    Package("pip", "rich==13.9.4", "python", "rich/*.py"),
    Package("pip", "werkzeug==3.1.3", "python", "werkzeug/**/*.py"),
    Package("pip", "networkx==3.4.2", "python", "networkx/classes/*.py", 3),
    Package("npm", "@tanstack/query-core@5.59.0", "typescript", "package/src/*.ts"),
    Package("npm", "ethers@6.13.4", "typescript", "package/src.ts/**/*.ts", 5),
    Package("npm", "three@0.170.0", "javascript", "package/src/**/*.js", 5),
    Package("npm", "moment@2.30.1", "javascript", "package/moment.js", 1),
    Package("npm", "react-native@0.76.0", "java", "package/ReactAndroid/**/*.java", 5),
    Package("npm", "react-native@0.76.0", "kotlin", "package/ReactAndroid/**/*.kt", 3),
    Package("npm", "react-native@0.76.0", "cpp", "package/ReactCommon/**/*.cpp", 4),
    Package("apt", "golang-github-gin-gonic-gin-dev", "go", "usr/share/gocode/src/**/*.go", 5),
    Package("apt", "librust-tokio-dev", "rust", "usr/share/cargo/registry/*/src/**/*.rs", 4),
    Package("apt", "librust-syn-dev", "rust", "usr/share/cargo/registry/*/src/*.rs", 3),
    Package("npm", "tree-sitter@0.21.1", "c", "package/vendor/**/lib/src/*.c", 5),
    Package("npm", "lmdb@3.1.3", "c", "package/dependencies/lmdb/**/*.c", 2),
    Package("npm", "leveldown@6.1.1", "cpp", "package/deps/leveldb/**/*.cc", 4),
    Package("apt", "ruby-sinatra", "ruby", "usr/share/rubygems-integration/**/*.rb", 2),
    Package("apt", "ruby-rack", "ruby", "usr/lib/ruby/vendor_ruby/**/*.rb", 4),
    Package("apt", "php-twig", "php", "usr/share/php/**/*.php", 6),
    Package("apt", "neovim-runtime", "lua", "usr/share/nvim/runtime/lua/**/*.lua", 5),
    Package("apt", "bash-completion", "bash", "usr/share/bash-completion/bash_completion", 1),
    Package("apt", "testssl.sh", "bash", "usr/**/*.sh", 1),
    Package("pip", "ansible-core==2.17.6", "csharp", "ansible/module_utils/csharp/*.cs", 4),
    Package("npm", "@openzeppelin/contracts@5.1.0", "solidity", "package/**/*.sol", 5),
)
"""What is asked about. Files of a package that appears in both halves are those that tuning did not take."""


def files() -> Iterator[File]:
    """Yield every file of the packages that can be had, those of lengths that need a map and that people read."""
    taken: set[str] = set()
    for package in PACKAGES:
        try:
            root = fetch(package)
        except (Unavailable, OSError):
            continue
        for path in _choose(package, root, taken):
            with open(path, "rb") as file:
                data = file.read()
            name = f"{re.sub(r'@[0-9.]+$|==.*', '', package.name)}: {os.path.relpath(path, root)}"
            yield File(name, path, package.language, data, package.held_out)


def _choose(package: Package, root: str, taken: set[str]) -> list[str]:
    """Return files spread over all sizes, the largest first, in the same order everywhere."""
    fit = []
    for path in sorted(glob(os.path.join(root, package.pattern), recursive=True)):
        if path in taken or not os.path.isfile(path) or os.path.islink(path) or os.path.getsize(path) > SIZE:
            continue
        with open(path, "rb") as file:
            lines = file.read().count(b"\n")
        if LEAST <= lines <= MOST and not path.endswith(".d.ts"):
            fit.append((-lines, path))
    fit.sort()
    step = max(len(fit) // (package.files * 2), 1)  # from the larger half
    value = [path for _, path in fit[::step]][: package.files]
    taken.update(value)
    return value


def fetch(package: Package) -> str:
    """Return the directory with a package's files, got once; raises Unavailable."""
    if package.registry == "stdlib":
        return sysconfig.get_path("stdlib")
    name = re.sub(r"\W+", "-", package.name).strip("-")
    place = os.path.join(cache(), "nav", "packages", f"{package.registry}-{name}")
    if not os.path.exists(place):
        text = f"{place}.{os.getpid()}"
        shutil.rmtree(text, ignore_errors=True)
        os.makedirs(text)
        try:
            _get(package, text)
        except BaseException:
            shutil.rmtree(text, ignore_errors=True)
            raise
        os.rename(text, place)
    return place


def _get(package: Package, place: str) -> None:
    """Download a package and unpack it."""
    if package.registry == "apt":
        sh(["apt-get", "download", "-q", package.name], place)
    elif package.registry == "npm":
        sh(["npm", "pack", "--silent", package.name], place)
    else:
        sh(["python3", "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", package.name], place)
    archives = glob(os.path.join(place, "*.*"))
    if not archives:
        raise Unavailable(f"no package {package.name}")
    _unpack(archives[0], place)
    os.remove(archives[0])


def _unpack(archive: str, place: str) -> None:
    if archive.endswith(".deb"):
        sh(["dpkg", "-x", archive, "."], place)
    elif archive.endswith(".whl"):
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(place)
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(place, filter="data")
