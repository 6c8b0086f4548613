"""Load the tree-sitter grammar of a language, and list the commands and comments of a shell script."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING, Any, NamedTuple

from ctxkit.core.text.shell_commands import Pipeline, ShellCommand, Word

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

_WHEEL_NAMES = {
    "csharp": ("c_sharp", "language"),
    "ocaml": ("ocaml", "language_ocaml"),
    "php": ("php", "language_php"),
    "tsx": ("typescript", "language_tsx"),
    "typescript": ("typescript", "language_typescript"),
}
"""Package suffix and function name of languages for which these differ from the language's name."""
OPTIONAL = {
    *("cpp", "csharp", "css", "dart", "elixir", "haskell", "hcl", "julia", "kotlin", "lua", "make", "nix"),
    *("objc", "ocaml", "perl", "php", "powershell", "ruby", "scala", "sql", "swift", "zig"),
}
"""Languages whose grammars the extra ``langs`` installs."""


def find_package(language: str) -> str:
    """Return the package that contains an optional grammar, "" for other languages."""
    wheel, _ = _WHEEL_NAMES.get(language, (language, ""))
    return f"tree-sitter-{wheel.replace('_', '-')}" if language in OPTIONAL else ""


@cache
def load_grammar(language: str) -> Language | None:
    """Return the grammar of ``language``, or None if it is not installed or does not load."""
    wheel, function = _WHEEL_NAMES.get(language, (language, "language"))
    try:
        from tree_sitter import Language

        return Language(getattr(_load_binding(f"tree_sitter_{wheel}"), function)())
    except (ImportError, AttributeError, ValueError, TypeError):  # not installed, renamed or incompatible
        return None


def _load_binding(package: str) -> Any:
    """Return the module with the language functions of ``package``, if possible without running its ``__init__``.

    The ``__init__`` of each wheel imports importlib.resources for its queries, which takes 13 ms.
    """
    try:
        return _load_compiled(package)
    except (ImportError, OSError, AttributeError):
        return import_module(package)


def _load_compiled(package: str) -> Any:
    """Return the compiled module inside ``package``; raise ImportError if its private layout has changed."""
    from os.path import exists, join

    package_spec = find_spec(package)
    for folder in (package_spec and package_spec.submodule_search_locations) or ():
        for suffix in EXTENSION_SUFFIXES:
            path = join(folder, f"_binding{suffix}")
            if exists(path):
                spec = spec_from_file_location(f"{package}._binding", path)
                if spec is not None and spec.loader is not None:
                    module = module_from_spec(spec)
                    spec.loader.exec_module(module)
                    return module
    raise ImportError(f"no compiled binding in {package}")


MAX_NODES = 200_000
"""Nodes of a tree after which a script is too long to be searched."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


def list_script_commands(script: str) -> list[ShellCommand] | None:
    """Return the commands of a script in order, also those inside others; None if it cannot be parsed."""
    nodes = _list_nodes(script)
    return None if nodes is None else [_read_command(node) for node in nodes if node.type == "command"]


def list_script_comments(script: str) -> list[str]:
    """Return the comments of a script in order, as they stand; none if it cannot be parsed.

    What looks like a comment in a string or in a here-document is none.
    """
    return [_text(node) for node in _list_nodes(script) or () if node.type == "comment"]


def parse_tree(script: str) -> Tree | None:
    """Return the syntax tree of a script, None without the grammar."""
    grammar = load_grammar("bash")
    if grammar is None:
        return None
    from tree_sitter import Parser

    return Parser(grammar).parse(script.encode("utf-8", "replace"))


def _list_nodes(script: str) -> list[Node] | None:
    """Return the nodes of a script in the order of their beginnings; None if it cannot be parsed, or is too long."""
    tree = parse_tree(script)
    if tree is None:
        return None
    listed: list[Node] = []
    nodes = [tree.root_node]
    while nodes:
        if len(listed) == MAX_NODES:
            return None
        node = nodes.pop()
        listed.append(node)
        nodes += reversed(node.children)
    return listed


def _read_command(node: Node) -> ShellCommand:
    """Return the words of a command without its assignments, and the script that it reads on stdin."""
    words: list[Word] = []
    for child in node.children:
        if child.type == "command_name":
            words.append(_read_literal(child.children[0]) if child.child_count else _unescape(_text(child)))
        elif child.type not in ("variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect"):
            words.append(_read_literal(child))
    return ShellCommand(tuple(words), _read_stdin(node))


def _read_stdin(node: Node) -> Word:
    """Return what a command reads by a here-document or a here-string; None if something else feeds it, "" if nothing.

    What the parent redirects is a redirection of the command itself.
    """
    redirects = list(_list_redirects(node))
    for redirect in redirects:
        if redirect.type == "herestring_redirect":
            return _read_literal(redirect.children[-1])
        body = next((child for child in redirect.children if child.type == "heredoc_body"), None)
        if body is not None:
            return _text(body)
    is_fed = any(redirect.type == "file_redirect" and _text(redirect).startswith("<") for redirect in redirects)
    return None if is_fed or _reads_pipe(node) else ""


def _list_redirects(node: Node) -> Iterator[Node]:
    around = node.parent
    yield from (child for child in node.children if child.type.endswith("_redirect"))
    if around is not None and around.type == "redirected_statement":
        yield from (child for child in around.children if child.type.endswith("_redirect"))


def _reads_pipe(node: Node) -> bool:
    """Return whether a command is behind a pipe, also inside a group or a loop."""
    below, around = node, node.parent
    while around is not None and around.type not in ("command_substitution", "function_definition", "program"):
        if around.type == "pipeline" and around.child(0) != below:
            return True
        below, around = around, around.parent
    return False


def _join_literals(node: Node) -> Word:
    """Return the texts of the children of a node as one, None if one is not known."""
    parts = [_read_literal(child) for child in node.children]
    return None if None in parts else "".join(part for part in parts if part is not None)


def _read_literal(node: Node) -> Word:
    """Return the text that a word stands for, None if that is known only when the script runs."""
    if node.type in ("word", "number", "test_operator", "regex", "extglob_pattern"):
        return _unescape(_text(node))
    if node.type == "raw_string":
        return _text(node)[1:-1]
    if node.type == "ansi_c_string":
        return _unescape_ansi(_text(node)[2:-1])
    if node.type == "string":
        inner = [child for child in node.children if child.type not in ('"', "string_content")]
        return None if inner else _text(node)[1:-1].replace("\\\n", "").replace('\\"', '"').replace("\\$", "$")
    if node.type in ("concatenation", "command_name"):
        return _join_literals(node)
    return _text(node) if not node.child_count and node.type not in ("simple_expansion", "expansion") else None


def _unescape(text: str) -> str:
    pieces, signs = [], iter(text)
    for sign in signs:
        following = next(signs, "") if sign == "\\" else sign
        pieces.append("" if following == "\n" and sign == "\\" else following)
    return "".join(pieces)


def _unescape_ansi(text: str) -> Word:
    """Return the text of ``$'...'``; None for codes of characters, which nobody needs to write a name."""
    pieces, signs = [], iter(text)
    for sign in signs:
        if sign == "\\":
            sign = _ESCAPES.get(next(signs, ""), "")
            if not sign:
                return None
        pieces.append(sign)
    return "".join(pieces)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


_MAX_DEPTH = 200
"""Depth of lists in lists, which the grammar nests, after which a script is left alone."""
_MAX_MEMBERS = 30
"""Members of a pipeline that is listed."""
_GROUPS = frozenset(("list", "pipeline", "redirected_statement"))
_PIPES, _ENDS = ("|", "|&"), ("&&", "||", ";", "\n", "&")


class _Item(NamedTuple):
    """A command, an operator or a redirection of the top level."""

    kind: str
    node: Node


def list_pipelines(script: str) -> list[Pipeline]:
    """Return the pipelines of the top level of a script in order; none if it has a fault, or cannot be parsed.

    Pipelines in the background, behind ``!`` or ``time``, and those with a here-document are left out.
    """
    try:
        script.encode()
    except UnicodeEncodeError:
        return []
    tree = parse_tree(script)
    if tree is None or tree.root_node.has_error:
        return []
    items: list[_Item] = []
    for child in tree.root_node.children:
        flat = list(_flatten(child, 0))
        items += [*flat, _Item(";", child)] if child.type not in _ENDS else flat
    return list(_read_pipelines(items))


def _flatten(node: Node, depth: int) -> Iterator[_Item]:
    if node.type == "comment":
        return
    if node.type not in _GROUPS:
        is_operator = node.type in _PIPES or node.type in _ENDS
        yield _Item("redirect" if node.type.endswith("_redirect") else node.type if is_operator else "command", node)
    elif depth > _MAX_DEPTH or any(child.type == "heredoc_redirect" for child in node.children):
        yield _Item("opaque", node)
    else:
        for child in node.children:
            yield from _flatten(child, depth + 1)


def _read_pipelines(items: Iterable[_Item]) -> Iterator[Pipeline]:
    """Yield the pipelines of items; an ``&`` may follow the end of a statement."""
    run: list[_Item] = []
    ended: list[_Item] = []
    for item in items:
        if item.kind == "&" or item.kind not in _ENDS:
            if item.kind == "&":
                run, ended = [], []
                continue
            yield from _make_pipeline(ended)
            ended = []
            run.append(item)
        else:
            if run:
                yield from _make_pipeline(ended)
                ended = run
            run = []
    yield from _make_pipeline(ended)
    yield from _make_pipeline(run)


def _split_members(run: list[_Item]) -> list[list[_Item]]:
    """Return the items of each member of a pipeline."""
    members: list[list[_Item]] = [[]]
    for item in run:
        if item.kind in _PIPES:
            members.append([])
        else:
            members[-1].append(item)
    return members


def _reads_file(item: _Item) -> bool:
    """Return whether an item lets a command read from elsewhere than the pipe."""
    return (item.node.text or b"").lstrip(b"0123456789").startswith(b"<")


def _make_pipeline(run: list[_Item]) -> Iterator[Pipeline]:
    members = _split_members(run)
    heads = [member[0].node for member in members if member]
    if not 1 < len(heads) <= _MAX_MEMBERS or len(heads) != len(members) or any(item.kind == "opaque" for item in run):
        return
    programs = tuple(map(_find_program, heads))
    if heads[-1].type != "command" or heads[0].type == "negated_command" or programs[0] == "time":
        return
    last = members[-1]
    if any(map(_reads_file, last[1:])):
        return
    texts = tuple((head.text or b"").decode("utf-8", "replace") for head in heads)
    yield Pipeline(heads[0].start_byte, last[-1].node.end_byte, texts, programs, _read_command(heads[-1]))


def _find_program(node: Node) -> str:
    words = _read_command(node).words if node.type == "command" else ()
    return (words[0] or "").rpartition("/")[2] if words else ""
