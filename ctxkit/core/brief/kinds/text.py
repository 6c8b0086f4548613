"""Text that no other kind recognizes: its sections, its head and end, its errors and its rare lines, verbatim."""

from collections.abc import Sequence

from ctxkit.core.brief.document import Clues, InputDocument
from ctxkit.core.brief.generic.generic_outline import make_generic_outline
from ctxkit.core.brief.outline import Outline

NAME = "text"
TYPES: Sequence[str] = (
    *("plain", "exchanges", "ini", "mail", "manual", "man", "help", "rst", "prose", "toml", "markdown", "md"),
    *("yaml", "yml", "xml", "svg", "rss", "atom", "plist", "pom", "xsd", "xslt", "soap"),
    *("lock", "lockfile", "tree", "hexdump", "xxd", "parts"),
)
"""Names of what has no map of its own, among them those that earlier releases had one for."""
CLUES = Clues()


def sniff(document: InputDocument) -> float:
    """Return 0: this kind is the fallback for content that no other kind recognizes."""
    del document
    return 0.0


def outline(document: InputDocument) -> Sequence[Outline]:
    """Return the outline of the text that fits the target."""
    return [make_generic_outline(document, NAME)]
