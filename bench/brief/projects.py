"""Real packages whose tests are run with a fault planted: where they come from, which runners read them."""

import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from glob import glob


@dataclass(frozen=True, slots=True)
class Project:
    """Name a package, its language, the files to plant faults in, what its tests are, and whether tuning may see it."""

    name: str
    language: str
    faulty: str
    tests: str = ""
    held_out: bool = False


PYTHON = (
    Project("mistune==3.0.2", "python", "src/mistune/**/*.py", "tests"),
    Project("boltons==26.2.0", "python", "boltons/{strutils,iterutils,urlutils}.py", "tests"),
    Project("tabulate==0.10.0", "python", "tabulate/__init__.py", "test"),
    Project("toolz==1.2.0", "python", "toolz/{itertoolz,functoolz}.py", "toolz/tests"),
    Project("wcwidth==0.9.4", "python", "wcwidth/*.py", "tests"),
    Project("itsdangerous==2.2.0", "python", "src/itsdangerous/*.py", "tests"),
    Project("parse==1.22.4", "python", "parse.py", "tests"),
    Project("sqlparse==0.5.1", "python", "sqlparse/{keywords,lexer,utils,sql}.py", "tests", held_out=True),
    Project("idna==3.7", "python", "idna/core.py", "tests", held_out=True),
    Project("more-itertools==10.5.0", "python", "more_itertools/{more,recipes}.py", "tests", held_out=True),
    Project("cachetools==5.5.0", "python", "src/cachetools/{__init__,keys,func}.py", "tests", held_out=True),
    Project("click==8.1.7", "python", "src/click/{core,parser,types,formatting}.py", "tests", held_out=True),
    Project("inflection==0.5.1", "python", "inflection/__init__.py", "test_inflection.py", held_out=True),
    Project("pyparsing==3.1.4", "python", "pyparsing/{core,helpers,results}.py", "tests", held_out=True),
)
STANDARD = (
    Project("argparse", "unittest", "argparse.py", "test.test_argparse"),
    Project("textwrap", "unittest", "textwrap.py", "test.test_textwrap"),
    Project("configparser", "unittest", "configparser.py", "test.test_configparser"),
    Project("fractions", "unittest", "fractions.py", "test.test_fractions"),
    Project("statistics", "unittest", "statistics.py", "test.test_statistics"),
    Project("ipaddress", "unittest", "ipaddress.py", "test.test_ipaddress", held_out=True),
    Project("calendar", "unittest", "calendar.py", "test.test_calendar", held_out=True),
    Project("shlex", "unittest", "shlex.py", "test.test_shlex", held_out=True),
    Project("difflib", "unittest", "difflib.py", "test.test_difflib", held_out=True),
    Project("dataclasses", "unittest", "dataclasses.py", "test.test_dataclasses", held_out=True),
)
SCRIPTS = (
    Project("lodash@4.17.21", "javascript", "lodash.js"),
    Project("slugify@1.6.6", "javascript", "slugify.js"),
    Project("validator@13.12.0", "javascript", "lib/is{Email,IP,URL,Float,Int}.js"),
    Project("semver@7.6.3", "javascript", "{classes,functions}/*.js"),
    Project("he@1.2.0", "javascript", "he.js"),
    Project("voca@1.4.1", "javascript", "index.js", held_out=True),
    Project("underscore@1.13.6", "javascript", "underscore-umd.js", held_out=True),
    Project("picomatch@4.0.2", "javascript", "lib/{scan,parse,utils}.js", held_out=True),
    Project("ramda@0.30.1", "javascript", "src/{internal/_curry2,equals,map,take,zip,range,slice}.js", held_out=True),
)
GO = (
    Project("text/template/parse", "go", "{lex,parse,node}.go"),
    Project("text/tabwriter", "go", "tabwriter.go"),
    Project("html", "go", "escape.go"),
    Project("encoding/csv", "go", "{reader,writer}.go"),
    Project("net/url", "go", "url.go"),
    Project("strconv", "go", "{atoi,atof,quote,itoa}.go", held_out=True),
    Project("encoding/json", "go", "{decode,encode,scanner}.go", held_out=True),
    Project("text/scanner", "go", "scanner.go", held_out=True),
    Project("mime", "go", "{mediatype,encodedword}.go", held_out=True),
)
RUST = (
    Project("strsim", "rust", "src/lib.rs"),
    Project("semver", "rust", "src/{parse,eval,identifier,impls}.rs"),
    Project("heck", "rust", "src/*.rs"),
    Project("hex", "rust", "src/lib.rs"),
    Project("shlex", "rust", "src/lib.rs"),
    Project("humantime", "rust", "src/{date,duration}.rs", held_out=True),
    Project("smallvec", "rust", "src/lib.rs", held_out=True),
    Project("either", "rust", "src/lib.rs", held_out=True),
    Project("percent-encoding", "rust", "src/lib.rs", held_out=True),
    Project("unicode-width", "rust", "src/lib.rs", held_out=True),
)
OTHER = (
    Project("words", "ruby", "lib/words.rb"),
    Project("money", "ruby", "lib/money.rb"),
    Project("words", "php", "src/Words.php"),
    Project("money", "php", "src/Money.php"),
    Project("words", "cmake", ""),
    Project("money", "cmake", ""),
)
ALL = (*PYTHON, *STANDARD, *SCRIPTS, *GO, *RUST, *OTHER)


class Unavailable(Exception):  # noqa: N818 - it is a state, not a fault
    """Say that a tool or a package cannot be had here."""


def fetch(project: Project, cache: str) -> str:
    """Return the directory of a project's own files, got once; raises Unavailable."""
    place = os.path.join(cache, "sources", project.language, re.sub(r"\W+", "-", project.name))
    if not os.path.exists(place):
        value = place + ".new"
        shutil.rmtree(value, ignore_errors=True)
        os.makedirs(value)
        FETCH[project.language](project, value)
        os.rename(value, place)
    return place


def sh(command: list[str], directory: str, *, seconds: int = 120, **environment: str) -> bytes:
    """Run a command and return what it wrote; raises Unavailable when it is not there or hangs."""
    try:
        done = subprocess.run(
            command,
            cwd=directory,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(str(error)) from None
    return done.stdout


def _pip(project: Project, place: str) -> None:
    sh(["python3", "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", project.name], place)
    result = glob(os.path.join(place, "*.tar.gz"))
    if not result:
        raise Unavailable(f"no source of {project.name}")
    with tarfile.open(result[0]) as archive:
        archive.extractall(place, filter="data")
    os.remove(result[0])
    inside = next(glob_dirs(place))
    for name in os.listdir(inside):
        os.rename(os.path.join(inside, name), os.path.join(place, name))
    os.rmdir(inside)


def glob_dirs(place: str) -> Iterator[str]:
    """Yield the directories right below one."""
    return (entry.path for entry in os.scandir(place) if entry.is_dir())


def _standard(project: Project, place: str) -> None:
    module = __import__(project.name)
    shutil.copy(str(module.__file__), place)


def _npm(project: Project, place: str) -> None:
    result = sh(["npm", "pack", "--silent", project.name], place)
    outcome = glob(os.path.join(place, "*.tgz"))
    if not outcome:
        raise Unavailable(result.decode("utf-8", "replace")[-200:])
    with tarfile.open(outcome[0]) as archive:
        archive.extractall(place, filter="data")
    os.remove(outcome[0])


def _nothing(project: Project, place: str) -> None:
    """Fetch nothing: the toolchain brings the package, or it is written when it is run."""


def _debian(project: Project, place: str) -> None:
    sh(["apt-get", "download", "-q", f"librust-{project.name}-dev"], place)
    result = glob(os.path.join(place, "*.deb"))
    if not result:
        raise Unavailable(f"no package of {project.name}")
    sh(["dpkg", "-x", result[0], "."], place)
    (crate,) = glob(os.path.join(place, "usr/share/cargo/registry/*"))
    shutil.move(crate, os.path.join(place, "crate"))
    shutil.rmtree(os.path.join(place, "usr"))
    os.remove(result[0])


FETCH: dict[str, Callable[[Project, str], None]] = {
    "python": _pip,
    "unittest": _standard,
    "javascript": _npm,
    "go": _nothing,
    "rust": _debian,
    "ruby": _nothing,
    "php": _nothing,
    "cmake": _nothing,
}


def files(project: Project, root: str) -> list[str]:
    """Return the files of a project that faults are planted in, relative to ``root``, sorted."""
    if not project.faulty:
        return []
    braces = re.fullmatch(r"(.*)\{(.*)\}(.*)", project.faulty)
    patterns = [f"{braces[1]}{word}{braces[3]}" for word in braces[2].split(",")] if braces else [project.faulty]
    names = {path for pattern in patterns for path in glob(os.path.join(root, pattern), recursive=True)}
    return sorted(os.path.relpath(path, root) for path in names)
