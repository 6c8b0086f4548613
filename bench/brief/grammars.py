"""What real source files define, as the parsers of their own languages say: the truth of the suite ``nav``.

Truth is a set of (line, name, asked). What is asked about is what a reader looks for: types, functions, methods.
The rest, such as functions inside functions, prototypes and one-line closures, may be in a map and need not.
libclang sees one side of each ``#if``: what ctags finds on the others counts as true, and is not asked about.
Where there is no parser at hand, universal-ctags stands in; it is weaker, and the figures say so.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from glob import glob

from bench.brief.cases import cache
from bench.brief.projects import Unavailable, sh

Found = tuple[int, str, bool]
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "grammar")
NODE = ("typescript@5.6.3", "luaparse@0.3.1", "@solidity-parser/parser@0.18.0", "postcss@8.4.47", "postcss-scss@4.0.9")
CRATES = ("syn", "proc-macro2", "quote", "unicode-ident")
MANIFEST = """[package]
name = "definitions"
version = "0.1.0"
edition = "2021"
[dependencies]
proc-macro2 = { version = "1", features = ["span-locations"] }
syn = { version = "1", features = ["full", "visit"] }
"""
CTAGS_ASKED = frozenset(
    (
        "class", "interface", "function", "method", "struct", "enum", "object", "trait", "namespace", "subroutine",
        "package",
    )
)
CTAGS = ("--kinds-all=*", "--output-format=json", "--fields=+nKZ", "--sort=no", "-o", "-")
CTAGS_LANGUAGE = {"bash": "Sh", "csharp": "C#", "kotlin": "Kotlin"}
WEAK = frozenset(CTAGS_LANGUAGE)
"""Languages whose truth is that of ctags."""


def truths(language: str, paths: Sequence[str]) -> dict[str, set[Found]]:
    """Return what each file defines; not of files it refuses. Raises Unavailable without a parser."""
    if language == "python":
        return {path: set(_python(path)) for path in paths}
    if language in ("c", "cpp"):
        also = {path: {(line, name, False) for line, name, _ in _ctags(path, "C++")} for path in paths}
        return {path: also[path] | set(_skip_pasted(path, _clang(path, language))) for path in paths}
    if language in CTAGS_LANGUAGE:
        return {path: set(_ctags(path, CTAGS_LANGUAGE[language])) for path in paths}
    command, directory = COMMANDS[language](language)
    done = subprocess.run(
        command, cwd=directory, input="\n".join(paths) + "\n", text=True, capture_output=True, timeout=300, check=False
    )
    rows = [json.loads(row) for row in done.stdout.split("\n") if row.startswith("{")]
    if not rows:
        raise Unavailable(f"{command[0]}: {done.stderr[-300:]}")
    return {row["path"]: {(line, name, bool(is_wanted)) for line, name, is_wanted in row["found"]} for row in rows}


def _python(path: str) -> Iterator[Found]:
    with open(path, "rb") as file:
        tree = ast.parse(file.read())

    def visit(node: ast.AST, inside: bool) -> Iterator[Found]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield child.lineno, child.name, not inside
                yield from visit(child, inside or not isinstance(child, ast.ClassDef))
            else:
                yield from visit(child, inside)

    yield from visit(tree, False)


def _skip_pasted(path: str, definitions: Iterable[Found]) -> Iterator[Found]:
    """Do not ask for a name that a macro builds, such as ``Test_Empty_`` of ``TEST(Test, Empty)``: no text has it."""
    with open(path, "rb") as file:
        words = set(re.findall(r"[\w$]+", file.read().decode("utf-8", "replace")))
    for line, name, is_wanted in definitions:
        yield line, name, is_wanted and words.issuperset(re.findall(r"[\w$]+", name))


def _clang(path: str, language: str) -> Iterator[Found]:
    place = os.path.join(cache(), "nav", "tools", "python")
    if not os.path.exists(place):
        sh([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", place, "libclang==18.1.1"], cache())
    sys.path.append(place)
    try:
        from clang import cindex  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        raise Unavailable(str(error)) from None
    kinds = cindex.CursorKind
    functions = {kinds.FUNCTION_DECL, kinds.CXX_METHOD, kinds.CONSTRUCTOR, kinds.DESTRUCTOR, kinds.FUNCTION_TEMPLATE}
    functions |= {kinds.CONVERSION_FUNCTION}
    types = {kinds.STRUCT_DECL, kinds.UNION_DECL, kinds.ENUM_DECL, kinds.CLASS_DECL, kinds.CLASS_TEMPLATE}
    types |= {kinds.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION}
    also = {
        kinds.TYPEDEF_DECL,
        kinds.TYPE_ALIAS_DECL,
        kinds.TYPE_ALIAS_TEMPLATE_DECL,
        kinds.MACRO_DEFINITION,
        kinds.NAMESPACE,
    }
    also |= {kinds.FIELD_DECL, kinds.VAR_DECL}
    arguments = ["-x", "c++" if language == "cpp" else "c", f"-std={'c++20' if language == 'cpp' else 'c11'}"]
    includes = {os.path.dirname(path), os.path.dirname(os.path.dirname(path))}
    arguments += [f"-I{include}" for include in sorted(includes)]
    unit = cindex.Index.create().parse(path, args=arguments, options=1)  # 1 keeps the macros

    def visit(cursor: "cindex.YamlLineReader", inside: bool) -> Iterator[Found]:
        for child in cursor.get_children():
            if child.location.file is None or child.location.file.name != path:
                continue
            name = child.spelling.partition("<")[0]
            if child.kind in functions or (child.kind in types and not child.is_anonymous()):
                yield child.location.line, name, child.is_definition() and not inside
            elif child.kind in also:
                yield child.location.line, name, False
            yield from visit(child, inside or child.kind in functions)

    yield from visit(unit.cursor, False)


def _ctags(path: str, language: str) -> Iterator[Found]:
    done = subprocess.run(
        ["ctags", f"--languages={language}", f"--language-force={language}", *CTAGS, path],
        capture_output=True,
        check=False,
    )
    with open(path, encoding="utf-8", errors="replace") as file:
        rows = file.read().split("\n")
    for row in done.stdout.decode("utf-8", "replace").split("\n"):
        if row.startswith("{"):
            tag = json.loads(row)
            name, line = tag.get("name", ""), tag.get("line", 0)
            if name and line:
                yield line, name, tag["kind"] in CTAGS_ASKED and _is_announced(language, name, rows[line - 1])


def _is_announced(language: str, name: str, row: str) -> bool:
    """Tell whether a tag is what it seems: ctags takes calls in C# and lambdas in Kotlin for methods."""
    if language == "Kotlin":
        return re.search(rf"\b(?:fun|class|interface|object)\b.*\b{re.escape(name)}\b", row) is not None
    if language == "C#":
        return name.isidentifier() and re.search(rf"\b(?:new|throw) {name}\b|^\s*\[", row) is None
    return True


def _node(language: str) -> tuple[list[str], str]:
    place = os.path.join(cache(), "nav", "tools", "node")
    if not os.path.exists(os.path.join(place, "node_modules")):
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, "package.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        sh(["npm", "install", "--silent", *NODE], place, seconds=300)
    return ["node", os.path.join(HERE, "definitions.cjs"), language], place


def _go(_language: str) -> tuple[list[str], str]:
    return _build(
        "definitions.go", "go", lambda program: ["go", "build", "-o", program, os.path.join(HERE, "definitions.go")]
    )


def _rust(_language: str) -> tuple[list[str], str]:
    """Build the program that asks syn, from Debian's packages of crates."""
    place = os.path.join(cache(), "nav", "tools", "rust")
    text = os.path.join(place, "target", "release", "definitions")
    if not os.path.exists(text):
        os.makedirs(os.path.join(place, "src"), exist_ok=True)
        for crate in CRATES:
            sh(["apt-get", "download", "-q", f"librust-{crate}-dev"], place)
        for archive in glob(os.path.join(place, "*.deb")):
            sh(["dpkg", "-x", archive, "."], place)
        with open(os.path.join(place, "Cargo.toml"), "w", encoding="utf-8") as file:
            file.write(MANIFEST)
        shutil.copy(os.path.join(HERE, "definitions.rs"), os.path.join(place, "src", "main.rs"))
        source = f'source.crates-io.replace-with="d"\nsource.d.directory="{place}/usr/share/cargo/registry"'
        options = [part for row in source.split("\n") for part in ("--config", row)]
        log = sh(["cargo", "build", "--release", "--offline", *options], place, seconds=300)
        if not os.path.exists(text):
            raise Unavailable(log.decode("utf-8", "replace")[-300:])
    return [text], place


def _build(source: str, name: str, command: Callable[[str], list[str]]) -> tuple[list[str], str]:
    place = os.path.join(cache(), "nav", "tools", name)
    text = os.path.join(place, "definitions")
    if not os.path.exists(text):
        os.makedirs(place, exist_ok=True)
        log = sh(command(text), place, seconds=300, GOCACHE=os.path.join(place, "cache"), GOFLAGS="-mod=mod")
        if not os.path.exists(text):
            raise Unavailable(f"{source}: {log.decode('utf-8', 'replace')[-300:]}")
    return [text], place


def _script(*command: str) -> Callable[[str], tuple[list[str], str]]:
    return lambda _language: ([*command[:-1], os.path.join(HERE, command[-1])], cache())


COMMANDS: dict[str, Callable[[str], tuple[list[str], str]]] = {
    **dict.fromkeys(("typescript", "javascript", "tsx", "lua", "solidity", "scss"), _node),
    "go": _go,
    "rust": _rust,
    "java": _script("java", "Definitions.java"),
    "ruby": _script("ruby", "definitions.rb"),
    "php": _script("php", "definitions.php"),
}
"""How the parser of each language is asked, and from which directory."""


def list_questions(findings_found: Iterable[Found]) -> set[tuple[int, str]]:
    """Return what is asked about."""
    return {(line, name) for line, name, is_wanted in findings_found if is_wanted}
