"""List the commands and the comments of a shell script, at any depth, with tree-sitter-bash."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ctxkit.core.text.shell_commands import ShellCommand, Word
from ctxkit.engines.grammars import load_grammar

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

MAX_NODES = 200_000
"""Nodes of a tree after which a script is too long to be searched."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


def list_script_commands(script: str) -> list[ShellCommand] | None:
    """Return the commands of a script in order, also those inside others; None if it cannot be parsed."""
    nodes = _list_nodes(script)
    return None if nodes is None else [read_command(node) for node in nodes if node.type == "command"]


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


def read_command(node: Node) -> ShellCommand:
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
