from ctxkit.core.lint.lint_settings import LintSettings
from ctxkit.core.lint.run import LintOptions, collect_findings, fix_all
from tests.core.lint.places import workspace

TAG = "<think>\nOkay, the user wants tabs.\n</think>\n"


def codes(text, **more):
    return [one.code for one in collect_findings(workspace({"MEMORY.md": f"# Memory\n\n{text}"}), LintOptions(**more))]


def test_a_comment_with_a_reason_silences_its_rule_on_the_next_line() -> None:
    assert codes(TAG) == ["HYG001"]
    assert codes(f"<!-- ctxkit: ignore-next-line HYG001 an example -->\n{TAG}") == []
    assert codes(f"<!-- ctxkit: ignore-file HYG an example -->\n\n- x\n\n{TAG}") == []
    assert codes("- Moved yesterday. <!-- ctxkit: ignore MEM003 as said -->\n") == []


def test_a_comment_that_is_not_heeded_silences_nothing() -> None:
    assert codes(f"<!-- ctxkit: ignore-next-line HYG001 an example -->\n{TAG}", use_suppressions=False) == ["HYG001"]


def test_comments_without_a_reason_or_a_rule_are_told_of() -> None:
    assert codes(f"<!-- ctxkit: ignore-next-line HYG001 -->\n{TAG}") == ["SUP002"]
    assert codes("<!-- ctxkit: ignore-next-line just because -->\n- x\n") == ["SUP001"]


def test_an_idle_comment_can_go_and_one_about_a_rule_that_did_not_run_stays() -> None:
    text = "<!-- ctxkit: ignore-next-line DUP001 long ago -->\n- Staging needs the VPN.\n"
    space = workspace({"AGENTS.md": text})
    assert fix_all(space, LintOptions(), unsafe=False).workspace.documents[0].text == "- Staging needs the VPN.\n"
    assert collect_findings(space, LintOptions(LintSettings(select=("HYG", "SUP")))) == []


def test_a_comment_that_is_shown_is_none() -> None:
    assert codes("```\n<!-- ctxkit: ignore-next-line DUP001 -->\n```\n") == []
