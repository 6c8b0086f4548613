"""Make the findings about sections that stand twice in a file (DUP001)."""

from ctxkit.core.lint.document.finding import Fix, LineRange, LintFinding
from ctxkit.core.lint.document.markdown import Heading, MarkdownDocument
from ctxkit.core.lint.document.rule import WARNING
from ctxkit.core.lint.fixes.delete_lines import delete_lines
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.repeated_sections import RepeatedSection, list_section_units


def make_section_finding(document: MarkdownDocument, section: RepeatedSection, loads: LoadSetIndex) -> LintFinding:
    """Return the finding at a section of which another one says all; its removal is safe if both are equal."""
    kept, copy = (LineRange(document.path, heading.line, heading.end_line) for heading in (section.kept, section.copy))
    wasted = loads.compute_waste((kept, copy))
    says = "stands twice: it is also" if section.is_whole else "is also, with more statements,"
    return LintFinding(
        "DUP001",
        WARNING,
        *(copy.path, copy.line, copy.end_line, f"the section {says} in line {kept.line}"),
        related=(kept,),
        tokens=max((tokens for _, tokens in wasted), default=0),
        wasted=wasted,
        fix=_make_fix(document, section),
        concept=section.copy.title,
        essence="\n".join(unit.normal for unit in list_section_units(document, section.copy)),
    )


def _make_fix(document: MarkdownDocument, section: RepeatedSection) -> Fix:
    first, end_line = section.copy.line, section.copy.end_line
    while end_line == document.lines and first > 1 and not document.at(first - 1).strip():
        first -= 1  # the blank lines before the last section go with it
    texts = (_read_lines(document, heading) for heading in (section.kept, section.copy))
    is_safe = len(set(texts)) == 1 and _has_same_parents(document, section)
    edit = delete_lines(document, first, end_line)
    return Fix((edit,), is_safe, f"remove the section, keep the one in line {section.kept.line}")


def _read_lines(document: MarkdownDocument, heading: Heading) -> tuple[str, ...]:
    """Return the lines of a section with its title that are not blank, without blanks at their ends."""
    lines = (document.at(number).rstrip() for number in range(heading.line, heading.end_line + 1))
    return tuple(filter(None, lines))


def _has_same_parents(document: MarkdownDocument, section: RepeatedSection) -> bool:
    """Return whether both sections stand below the same titles."""
    kept, copy = (list_section_units(document, heading)[0].section for heading in (section.kept, section.copy))
    return kept == copy
