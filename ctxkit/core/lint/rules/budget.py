"""Check files and load sets against token budgets and against the limits of hosts (BUD)."""

from collections.abc import Iterator, Mapping, Sequence
from posixpath import dirname

from ctxkit.core.lint.document.finding import LineRange, LintFinding
from ctxkit.core.lint.document.load_set import LoadSet, format_listing
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.rule import INFO, WARNING, Rule
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.rules.size_limits import Excess, find_always_tokens, find_excesses, is_of_skill

RULES = (
    Rule(
        "BUD001",
        "file-over-budget",
        WARNING,
        "none",
        "A file uses more tokens than the settings allow.",
        "Instructions grow line by line, and every turn pays for all of them. There is no limit unless you set one.",
        'file_tokens = 1500, and AGENTS.md takes 2,300',
        "AGENTS.md takes 1,400 tokens; what is needed at times stands in skills",
        "The workspace that motivated this linter: a table of tokens by file, before and after.",
    ),
    Rule(
        "BUD002",
        "load-set-over-budget",
        WARNING,
        "none",
        "The files that an agent loads together use more tokens than the settings allow.",
        "Each file can be small while the sum is large. The sum is what occupies the window on every turn.",
        "set_tokens = 4000, and Claude Code loads 6,100 in packages/web",
        "Claude Code loads 3,200 in packages/web",
        "The workspace that motivated this linter: 3,155 tokens of overhead a turn, of which 1,000 were waste.",
    ),
    Rule(
        "BUD003",
        "over-host-limit",
        WARNING,
        "none",
        "A file, or the files of a load set together, exceed the size up to which a host reads them.",
        "The host drops the rest without a message in the session, or refuses the file.",
        "AGENTS.md and packages/web/AGENTS.md: 41,000 bytes, of which Codex reads 32,768",
        "both files together take 24,000 bytes",
        "The documentation of the hosts; docs/hosts.md lists the limits. The setting sizes changes them.",
    ),
    Rule(
        "BUD004",
        "over-advised-size",
        INFO,
        "none",
        "A file is longer than the documentation of its host advises: 200 lines of CLAUDE.md, 500 of SKILL.md.",
        "The host loads all of it. By its documentation, longer files cost context and are followed less.",
        "CLAUDE.md has 640 lines",
        "CLAUDE.md has 120 lines; the rest is in .claude/rules with paths, and in skills",
        "code.claude.com/docs/en/memory and /skills, cursor.com/docs/rules, read on 2026-11-29. The setting sizes "
        "changes the limits.",
    ),
    Rule(
        "BUD005",
        "always-loaded-too-much",
        WARNING,
        "none",
        "What a host loads on every turn, before any question, takes more than a tenth of a window of 200,000 tokens.",
        "These tokens are paid on every turn, and they are missing for the work.",
        "Claude Code always loads 30,000 tokens",
        "Claude Code always loads 6,000 tokens; rules with paths and skills have the rest",
        "The share is a choice of ctxkit, and the setting sizes.always_tokens changes it.",
    ),
)

MIN_EXCESS = 1.5
"""Minimum size of a file in advised sizes: of files a little longer than advised, readers knew and left them so."""


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield files and load sets over their limits: those of the settings, and those of the hosts."""
    yield from _check_host_sizes(workspace)
    limits = workspace.limits
    always = find_always_tokens(workspace)
    if not (limits.file_tokens or limits.set_tokens or limits.by_path or always):
        return
    are_all_limited = limits.file_tokens or limits.set_tokens or limits.by_path
    counted = {path for loaded in workspace.load_sets if loaded.always for path in loaded.paths}
    costs = {
        document.path: workspace.tokens(document.text)
        for document in workspace.documents
        if are_all_limited or document.path in counted
    }
    for document in workspace.documents:
        most = limits.by_path.get(document.path, limits.file_tokens if document.role is not FileRole.PROMPT else 0)
        if most and costs[document.path] > most:
            yield _make_finding("BUD001", document, costs[document.path], most, document.path)
    for loaded in workspace.load_sets if limits.set_tokens else ():
        total = sum(costs.get(path, 0) for path in loaded.paths)
        largest = max(loaded.paths, key=lambda path: costs.get(path, 0), default="")
        document_ = workspace.document(largest)
        if total > limits.set_tokens and document_:
            yield _make_finding("BUD002", document_, total, limits.set_tokens, f"what {loaded.name} loads")
    if always:
        yield from _check_always_loaded(workspace, costs, always)


def _check_host_sizes(workspace: Workspace) -> Iterator[LintFinding]:
    advised: dict[str, list[Excess]] = {}
    for excess in find_excesses(workspace):
        document, limit = excess.document, excess.limit
        if limit.unit == "lines":
            if not workspace.project.is_installed(document.path):
                advised.setdefault(limit.setting, []).append(excess)
            continue
        subject = "the file has" if excess.load_set is None else f"{_name_set(excess.load_set)} have"
        message = (
            f"{subject} {excess.size:,} {limit.unit}, the limit is {excess.allowed:,}: {limit.effect}; {limit.advice}"
        )
        yield LintFinding(
            "BUD003", WARNING, document.path, 1, document.lines, message, essence=limit.setting
        )
    for excesses in advised.values():
        yield from _make_advice(excesses)


def _make_advice(excesses: Sequence[Excess]) -> Iterator[LintFinding]:
    """Yield one finding about the files that are clearly longer than advised, at the longest one."""
    clear = [excess for excess in excesses if excess.size >= excess.allowed * MIN_EXCESS]
    if not clear:
        return
    longest, *others = sorted(clear, key=lambda excess: (-excess.size, excess.document.path))
    document, limit = longest.document, longest.limit
    more = f" ({len(others)} more file{'s' if len(others) > 1 else ''} {'are' if len(others) > 1 else 'is'} too long)"
    effect, advice = limit.effect, limit.advice
    homes = {dirname(path) for path in (document.path, *document.aliases) if path.endswith("CLAUDE.md")}
    if limit.setting == "claude_md_lines" and homes.isdisjoint(("", ".claude")):
        effect = effect.replace("in every session", "when it reads a file in its directory")
        advice = advice.replace("into .claude/rules with paths", "into CLAUDE.md files of the directories below")
    message = (
        f"the file has {longest.size:,} lines, and {longest.allowed:,} are advised{more if others else ''}: "
        f"{effect}; {advice}"
    )
    related = tuple(LineRange(other.document.path, other.allowed + 1, other.document.lines) for other in others)
    yield LintFinding(
        "BUD004", INFO, document.path, longest.allowed + 1, document.lines, message, related=related,
        essence=limit.setting,
    )  # fmt: skip


def _name_set(load_set: LoadSet) -> str:
    names = ", ".join(load_set.paths[:4])
    return f"the files that {load_set.name} loads ({names}{', ...' if len(load_set.paths) > 4 else ''})"


def _check_always_loaded(workspace: Workspace, costs: Mapping[str, int], allowed: int) -> Iterator[LintFinding]:
    """Yield the largest load set over the limit of each host, once for hosts that load the same files."""
    listed_paths = {path for load_set in workspace.load_sets for path in load_set.listed}
    listings = {
        document.path: workspace.tokens(format_listing(document))
        for document in workspace.documents
        if document.path in listed_paths
    }
    over: list[tuple[int, LoadSet]] = []
    for loaded in workspace.load_sets:
        if not (loaded.always and loaded.paths) or is_of_skill(workspace, loaded):
            continue
        size = sum(costs.get(path, 0) for path in loaded.paths) + sum(listings.get(path, 0) for path in loaded.listed)
        if size > allowed:
            over.append((size, loaded))
    by_file: dict[str, list[tuple[int, LoadSet]]] = {}
    for agent in dict.fromkeys(loaded.agent for _, loaded in over):
        size, largest = max((pair for pair in over if pair[1].agent == agent), key=lambda pair: pair[0])
        by_file.setdefault(max(largest.paths, key=lambda path: costs.get(path, 0)), []).append((size, largest))
    for path, those in by_file.items():
        those.sort(key=lambda pair: -pair[0])
        size = those[0][0]
        document = workspace.document(path)
        if document is not None:
            names = ", ".join(sorted(loaded.name for _, loaded in those))
            others = sum(loaded.agent == those[0][1].agent for _, loaded in over) - 1
            message = (
                f"{_describe_loads(those)}, the limit is {allowed:,}"
                f"{f', and {others} other directories exceed it' if others else ''}; {document.path} has "
                f"{costs.get(document.path, 0):,} of them: move what is needed at times into skills or scoped rules"
            )
            yield LintFinding(
                "BUD005", WARNING, document.path, 1, document.lines, message, tokens=size - allowed, essence=names
            )


def _describe_loads(loads: Sequence[tuple[int, LoadSet]]) -> str:
    """Return which hosts always load how many tokens, the largest first."""
    first, *others = loads
    names = ", ".join(loaded.name for _, loaded in loads)
    if all(size == first[0] for size, _ in others):
        return f"{names} always load{'' if others else 's'} {first[0]:,} tokens"
    rest = ", ".join(f"{loaded.name} {size:,}" for size, loaded in others)
    return f"{first[1].name} always loads {first[0]:,} tokens, {rest}"


def _make_finding(code: str, document: MarkdownDocument, tokens: int, limit: int, subject: str) -> LintFinding:
    # The subject identifies the finding in baselines, so its words stay.
    shown = subject.replace("what ", "the files that ", 1) if code == "BUD002" else subject
    message = f"{shown}: {tokens:,} tokens, the limit is {limit:,}"
    return LintFinding(code, WARNING, document.path, 1, document.lines, message, tokens=tokens - limit, essence=subject)
