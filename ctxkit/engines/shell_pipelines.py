"""List the pipelines at the top level of a shell script with tree-sitter-bash.

The grammar gives redirections and ``&&`` another precedence than a shell does (``cd a && make 2>&1 | tail`` is one
pipeline to it), so the commands and the operators of the top level are listed in order, and grouped anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.text.pipelines import Pipeline
from ctxkit.engines.shell_parser import parse_tree, read_command

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_DEPTH = 200
"""Depth of lists in lists, which the grammar nests, after which a script is left alone."""
MAX_MEMBERS = 30
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
    elif depth > MAX_DEPTH or any(child.type == "heredoc_redirect" for child in node.children):
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
    if not 1 < len(heads) <= MAX_MEMBERS or len(heads) != len(members) or any(item.kind == "opaque" for item in run):
        return
    programs = tuple(map(_find_program, heads))
    if heads[-1].type != "command" or heads[0].type == "negated_command" or programs[0] == "time":
        return
    last = members[-1]
    if any(map(_reads_file, last[1:])):
        return
    texts = tuple((head.text or b"").decode("utf-8", "replace") for head in heads)
    yield Pipeline(heads[0].start_byte, last[-1].node.end_byte, texts, programs, read_command(heads[-1]))


def _find_program(node: Node) -> str:
    words = read_command(node).words if node.type == "command" else ()
    return (words[0] or "").rpartition("/")[2] if words else ""
