"""Format the pages of ``dedupe explain``."""

from collections.abc import Iterator, Mapping, Sequence

from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.lint.document.rule import Rule
from ctxkit.core.lint.readings import describe_reading, is_default
from ctxkit.core.lint.registry import rules
from ctxkit.edge import out

RULES_HINT = "ctxkit dedupe explain lists the rules"
FIXES = {"none": "none", "safe": "--fix, if it loses nothing", "unsafe": "--unsafe-fixes"}


def rule_lines(rule: Rule) -> Iterator[str]:
    """Yield the lines about a rule."""
    yield f"# {rule.code} {rule.name} ({rule.severity.word})"
    yield ""
    yield rule.summary
    yield ""
    yield rule.rationale
    for title, text in (("Bad", rule.bad), ("Good", rule.good)):
        yield ""
        yield f"{title}:"
        yield ""
        yield from (f"    {line}".rstrip() for line in text.split("\n"))
    yield ""
    yield f"Fix: {FIXES[rule.fix]}"
    yield f"Runs: {'by default' if is_default(rule.code) else 'if it is selected: --extend-select ' + rule.code}"
    yield f"Precision: {describe_reading(rule.code)}"
    yield f"Evidence: {rule.evidence}"


def overview_lines(rules: Mapping[str, Rule]) -> Iterator[str]:
    """Yield one line per rule."""
    width = max(len(rule.name) for rule in rules.values())
    for rule in rules.values():
        state = rule.severity.word if is_default(rule.code) else "off"
        yield f"{rule.code}  {rule.name:{width}}  {state:7}  {rule.summary}"


def describe_unknown_rule(code: str) -> str:
    """Return the message about the code of a rule that does not exist."""
    from ctxkit.edge.suggestions import suggest_value

    return f"no rule is called {code}{suggest_value(code, rules())}"


def explain_rules(codes: Sequence[str]) -> Exit:
    """Print the pages of rules, of all rules for ALL, or an overview; raise UsageError for an unknown code."""
    known = rules()
    if not codes:
        out.write_listing("\n".join(overview_lines(known)) + "\n")
        return Exit.DONE
    rule_codes = list(known) if [code.upper() for code in codes] == ["ALL"] else [code.upper() for code in codes]
    bad = next((code for code in rule_codes if code not in known), "")
    if bad:
        raise UsageError(describe_unknown_rule(bad), hint=RULES_HINT)
    out.write_listing("\n\n".join("\n".join(rule_lines(known[code])) for code in rule_codes) + "\n")
    return Exit.DONE
