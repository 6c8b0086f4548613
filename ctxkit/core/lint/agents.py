"""Which files each agent loads together.

Sources, read in November 2026: code.claude.com/docs/en/memory, github.com/openai/codex docs/agents_md.md,
geminicli.com/docs/cli/gemini-md, cursor.com/docs/context/rules and /cli/using, docs.windsurf.com memories,
docs.cline.bot/customization/cline-rules, docs.github.com on custom instructions for Copilot, and
docs.openclaw.ai/concepts/agent-workspace.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from posixpath import dirname

from ctxkit.core.lint.document import Document, Kind
from ctxkit.core.lint.load_set import LoadSet
from ctxkit.core.lint.tree import Tree, ancestors, at

PERSONAL = (
    *("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md"),
    *("CONTEXT.md", "MEMORY.md", "memory.md", "memory/MEMORY.md"),
)
"""What OpenClaw and nanobot put into the system prompt, in their order."""
MARKS = frozenset(("SOUL.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "MEMORY.md"))
"""Files that make a directory the home of such an agent."""
GEMINI = ("GEMINI.md",)
"""What Gemini CLI looks for unless its settings name another file."""
_COMMENT = re.compile(r"^[ \t]*//[^\n]*$", re.MULTILINE)
_DAY = re.compile(r"(?:19|20)\d\d-?\d\d-?\d\d[^/]*$")
DAYS = 2
"""Daily notes that its instructions tell it to read: those of today and yesterday, here the two newest."""


def load_sets(documents: Sequence[Document], gemini: Sequence[str] = GEMINI) -> tuple[LoadSet, ...]:
    """Return the load sets of all agents that some documents are for, those of one agent together.

    ``gemini`` are the names of the files that Gemini CLI is told to look for.
    """
    tree = Tree(documents)
    found: dict[LoadSet, None] = {}
    for agent in (_claude, _codex, lambda tree: _gemini(tree, gemini), _cursor, _windsurf, _cline, _copilot, _openclaw):
        for one in agent(tree):
            if one.paths:
                found[one] = None
    return tuple(found)


def _chain(
    tree: Tree, agent: str, names: Sequence[str], each: Callable[[str, str], list[str]]
) -> Iterator[LoadSet]:
    """Yield a set for each directory with a file of its own: what lies between the root and it, root first.

    ``each`` names the files of one directory when another is the working one.
    """
    seen: set[tuple[str, ...]] = set()
    for home in tree.homes(*names):
        paths = tree.paths([path for one in ancestors(home) for path in each(one, home)], follow=agent in _FOLLOWING)
        if paths and paths not in seen:
            seen.add(paths)
            yield LoadSet(agent, home, paths)


_FOLLOWING = ("Claude Code", "Gemini CLI")
"""Agents that know imports."""


def _more(tree: Tree, agent: str, extras: Sequence[str], base: LoadSet | None) -> Iterator[LoadSet]:
    """Yield a set for each file that comes on demand, behind what is there already."""
    before = base.paths if base else ()
    for extra in extras:
        paths = tree.paths([*before, extra])
        if len(paths) > len(before):
            yield LoadSet(agent, "", paths, always=False, occasion=extra)


def _first(sets: Sequence[LoadSet]) -> LoadSet | None:
    return next((one for one in sets if not one.directory), None)


def _claude(tree: Tree) -> Iterator[LoadSet]:
    """CLAUDE.md, .claude/CLAUDE.md, rules without paths and CLAUDE.local.md of each directory down to the working one.

    AGENTS.md is read where it is imported, and since 2.1.277 where there is no CLAUDE.md down to the directory.
    """
    own = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
    rules = [path for path in tree.files if "/.claude/rules/" in f"/{path}"]
    scoped = sorted(path for path in rules if tree.files[path].matter.get("paths"))

    def each(directory: str, working: str) -> list[str]:
        """Return what is loaded of one directory by who works in another, in order."""
        rules = [path for path in tree.inside(at(directory, ".claude/rules")) if path not in scoped]
        named = any(at(one, name) in tree.files for one in ancestors(working) for name in own)
        stead = [] if named else [at(directory, "AGENTS.md")]
        return [*stead, *(at(directory, name) for name in own[:2]), *rules, at(directory, own[2])]

    sets = list(_chain(tree, "Claude Code", (*own, "AGENTS.md"), each))
    yield from sets
    base = _first(sets)
    extras = [*scoped]
    extras += [path for path in sorted(tree.files) if _is(tree, path, ".claude", Kind.SKILL, Kind.COMMAND)]
    yield from _more(tree, "Claude Code", extras, base)
    yield from _told(tree, sets)


def _is(tree: Tree, path: str, folder: str, *kinds: Kind) -> bool:
    return f"/{folder}/" in f"/{path}" and tree.files[path].kind in kinds


def _told(tree: Tree, sets: Sequence[LoadSet]) -> Iterator[LoadSet]:
    """Yield sets with the files of the persona that instructions name: agents are told to read them first."""
    paths = {path for one in sets for path in one.paths}
    told = {path: {name for name in PERSONAL if name in tree.files[path].text} for path in paths}
    for one in sets:
        said: set[str] = set().union(*(told[path] for path in one.paths))
        names = [at(one.directory, name) for name in PERSONAL if name in said]
        more = tree.paths([*one.paths, *(name for name in names if not name.endswith("AGENTS.md"))])
        if more != one.paths:
            yield LoadSet(one.agent, one.directory, more, always=False, occasion="the files it names")


def _codex(tree: Tree) -> Iterator[LoadSet]:
    """One file a directory, from the root down: AGENTS.override.md, else AGENTS.md."""

    def each(directory: str, _working: str) -> list[str]:
        override = at(directory, "AGENTS.override.md")
        return [override if override in tree.files else at(directory, "AGENTS.md")]

    sets = list(_chain(tree, "Codex", ("AGENTS.md", "AGENTS.override.md"), each))
    yield from sets
    extras = [path for path in sorted(tree.files) if _is(tree, path, ".agents", Kind.SKILL)]
    extras += [path for path in sorted(tree.files) if _is(tree, path, ".codex", Kind.SKILL, Kind.COMMAND)]
    yield from _more(tree, "Codex", extras, _first(sets))


def _gemini(tree: Tree, names: Sequence[str]) -> Iterator[LoadSet]:
    """GEMINI.md, or what its settings name in its place, from the root down, with what is imported there."""
    yield from _chain(tree, "Gemini CLI", names, lambda directory, _: [at(directory, name) for name in names])


def gemini_names(settings: bytes | None) -> tuple[str, ...]:
    """Return the names of the files that Gemini CLI looks for, given its settings (.gemini/settings.json).

    ``context.fileName`` is one name or a list of them; older settings have it as ``contextFileName``.
    """
    from json import loads

    text = _uncommented((settings or b"").decode("utf-8", "replace").removeprefix("\ufeff"))
    try:
        read = loads(text)
    except (ValueError, RecursionError):
        return GEMINI
    if not isinstance(read, dict):
        return GEMINI
    context = read.get("context")
    told = context.get("fileName") if isinstance(context, dict) else None
    told = told or read.get("contextFileName")
    names = [told] if isinstance(told, str) else told if isinstance(told, list) else []
    return tuple(name for name in names if isinstance(name, str) and name and "/" not in name) or GEMINI


def _uncommented(text: str) -> str:
    """Return JSON without comments: lines that begin with two slashes, and what stands between /* and */."""
    pieces: list[str] = []
    at = 0
    while (start := text.find("/*", at)) >= 0 and (end := text.find("*/", start + 2)) >= 0:
        pieces.append(text[at:start])
        at = end + 2
    return _COMMENT.sub("", "".join([*pieces, text[at:]]))


def _cursor(tree: Tree) -> Iterator[LoadSet]:
    """AGENTS.md from the root down, .cursorrules, rules that always apply; its CLI reads CLAUDE.md at the root too."""
    rules = [path for path in tree.inside(".cursor/rules") if path.endswith(".mdc")]
    always = [path for path in rules if tree.files[path].matter.get("alwaysApply", "").lower() == "true"]

    def each(directory: str, _working: str) -> list[str]:
        more = [".cursorrules", *always] if not directory else []
        return [at(directory, "AGENTS.md"), *more]

    sets = list(_chain(tree, "Cursor", ("AGENTS.md",), each))
    yield from sets
    base = _first(sets)
    both = tree.paths(["AGENTS.md", "CLAUDE.md"])
    if len(both) > 1:
        yield LoadSet("Cursor CLI", "", tree.paths([*both, *(base.paths if base else ())]))
    yield from _more(tree, "Cursor", [path for path in rules if path not in always], base)
    extras = [path for path in sorted(tree.files) if _is(tree, path, ".cursor", Kind.SKILL, Kind.COMMAND)]
    yield from _more(tree, "Cursor", extras, base)


def _windsurf(tree: Tree) -> Iterator[LoadSet]:
    """.windsurfrules, rules whose trigger is always_on (or that name none), and AGENTS.md."""
    rules = [*tree.inside(".windsurf/rules"), *tree.inside(".devin/rules")]
    always = [path for path in rules if tree.files[path].matter.get("trigger", "always_on") == "always_on"]
    if not rules and ".windsurfrules" not in tree.files:
        return
    base = LoadSet("Windsurf", "", tree.paths([".windsurfrules", *always, "AGENTS.md"]))
    yield base
    yield from _more(tree, "Windsurf", [path for path in rules if path not in always], base)


def _cline(tree: Tree) -> Iterator[LoadSet]:
    """.clinerules, one file or all in a directory, with AGENTS.md."""
    rules = [path for path in tree.inside(".clinerules") if tree.files[path].kind is Kind.RULES]
    own = [path for path in (".clinerules", *rules) if path in tree.files]
    if not own:
        return
    scoped = [path for path in own if tree.files[path].matter.get("paths")]
    base = LoadSet("Cline", "", tree.paths([*(path for path in own if path not in scoped), "AGENTS.md"]))
    yield base
    yield from _more(tree, "Cline", scoped, base)


def _copilot(tree: Tree) -> Iterator[LoadSet]:
    """The repository's instructions, those that apply to every path, and AGENTS.md, CLAUDE.md and GEMINI.md."""
    rules = [path for path in tree.inside(".github/instructions") if path.endswith(".md")]
    everywhere = [path for path in rules if tree.files[path].matter.get("applyTo", "").strip() in ("**", "**/*", "*")]
    own = [".github/copilot-instructions.md", *everywhere]
    base = LoadSet("Copilot", "", tree.paths([*own, "AGENTS.md", "CLAUDE.md", "GEMINI.md"]))
    if len(base.paths) > 1 or any(path in tree.files for path in own):
        yield base
    yield from _more(tree, "Copilot", [path for path in rules if path not in everywhere], base)
    extras = [path for path in sorted(tree.files) if _is(tree, path, ".github", Kind.SKILL, Kind.COMMAND)]
    yield from _more(tree, "Copilot", extras, base)


def _openclaw(tree: Tree) -> Iterator[LoadSet]:
    """The files of the workspace; its daily notes and skills come on demand."""
    homes = {dirname(path) for path in tree.files if path.rsplit("/", 1)[-1] in MARKS}
    homes = {home.removesuffix("memory").rstrip("/") if home.rsplit("/", 1)[-1] == "memory" else home for home in homes}
    for home in sorted(homes):
        paths = tree.paths([at(home, name) for name in PERSONAL])
        if not paths:
            continue
        base = LoadSet("OpenClaw", home, paths)
        yield base
        notes = [
            path
            for path in [*tree.inside(at(home, "memory")), *tree.below.get(home, [])]
            if tree.files[path].kind is Kind.DAILY and tree.files[path].path not in paths
        ]
        notes = [path for path in notes if dirname(path) in (home, at(home, "memory"))]
        notes = [path for path in notes if _DAY.search(path)] or notes
        recent = tree.paths([*paths, *sorted(notes)[-DAYS:]])
        if recent != paths:
            yield LoadSet("OpenClaw", home, recent, always=False, occasion="the newest notes")
        for skill in [path for path in tree.inside(at(home, "skills")) if tree.files[path].kind is Kind.SKILL]:
            yield LoadSet("OpenClaw", home, tree.paths([*paths, skill]), always=False, occasion=skill)
