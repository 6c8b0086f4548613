"""Check files and load sets against their token budgets (BUD)."""

from collections.abc import Iterator

from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.rule import WARNING, Rule
from ctxkit.core.lint.document.workspace import Workspace

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
)


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield files and load sets over their token limits; nothing if the settings have no limit."""
    limits = workspace.limits
    if not (limits.file_tokens or limits.set_tokens or limits.by_path):
        return
    costs = {document.path: workspace.tokens(document.text) for document in workspace.documents}
    for document in workspace.documents:
        most = limits.by_path.get(document.path, limits.file_tokens if document.role is not FileRole.PROMPT else 0)
        if most and costs[document.path] > most:
            yield _make_finding("BUD001", document, costs[document.path], most, document.path)
    for loaded in workspace.load_sets:
        total = sum(costs.get(path, 0) for path in loaded.paths)
        largest = max(loaded.paths, key=lambda path: costs.get(path, 0), default="")
        document_ = workspace.document(largest)
        if limits.set_tokens and total > limits.set_tokens and document_:
            yield _make_finding("BUD002", document_, total, limits.set_tokens, f"what {loaded.name} loads")


def _make_finding(code: str, document: MarkdownDocument, tokens: int, limit: int, subject: str) -> LintFinding:
    # The subject identifies the finding in baselines, so its words stay.
    shown = subject.replace("what ", "the files that ", 1) if code == "BUD002" else subject
    message = f"{shown}: {tokens:,} tokens, the limit is {limit:,}"
    return LintFinding(code, WARNING, document.path, 1, document.lines, message, tokens=tokens - limit, essence=subject)
