import pytest

from ctxkit.core.lint.rules.duplicates import findings
from tests.core.lint.places import workspace


def found(one, two, **more):
    files = {"AGENTS.md": f"# A\n\n{one}\n", "CLAUDE.md": f"# B\n\n{two}\n", **more}
    return [(finding.code, finding.message) for finding in findings(workspace(files))]


@pytest.mark.parametrize(
    ("one", "two", "said"),
    [
        ("- Retry a failed upload 3 times.", "- Retry a failed upload 5 times.", "give different numbers"),
        ("- Memory has three layers of files.", "- Memory has four layers of files.", "give different numbers"),
        ("- You may push to main without review.", "- You may not push to main without review.", "say yes and no"),
        ("- Always squash commits on merge.", "- Never squash commits on merge.", "say yes and no"),
        ("- Indent every file with tabs.", "- Indent every file with spaces.", "say the opposite"),
    ],
)
def test_what_excludes_each_other_is_a_contradiction_and_no_duplicate(one: str, two: str, said: str) -> None:
    ((code, message),) = found(one, two)
    assert code == "CON001"
    assert said in message


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("- The API listens on port 8080 in tests.", "- The worker listens on port 9090 in tests."),
        ("- Deploy releases to staging at noon.", "- Deploy releases to production at noon."),
        ("- The client caches all filled tokens before the claim.", "- Does the client not cache filled tokens before the claim?"),
        ("What this does NOT do:\n\n- Collect telemetry of users", "- No telemetry of users"),
        ("- On PASS: print the run instructions", "- On FAIL: do not print the run instructions"),
        ("- The feature review fired on schedule (10:35 UTC)", "- The feature review fired on schedule (08:30 UTC)"),
        ("This part contains all the WRONG patterns to avoid in models.", "This part contains all the CORRECT patterns to follow in models."),
        ("If the answer to any is \"no\", request changes.", "If the answer to any is yes, request changes."),
        ("- Ask clarifying questions rather than making assumptions", "- DO NOT make assumptions, ask clarifying questions instead"),
        ("- Read `a.toml` for the settings.", "- Read `b.toml` for the settings."),
        ("- Retry uploads 3 times.\n- Retry downloads 5 times.", "- Cats sleep in the sun."),
    ],
)
def test_what_is_about_different_things_is_none(one: str, two: str) -> None:
    assert found(one, two) == []


def test_fields_of_two_records_differ() -> None:
    text = "# A\n\n**CPU-based curation**:\n- Time for 8TB: 120 hours\n\n**GPU-based curation**:\n- Time for 8TB: 7.5 hours\n"
    assert [finding.code for finding in findings(workspace({"AGENTS.md": text}))] == []


def test_a_negation_in_another_language_is_a_negation() -> None:
    ((code, _),) = found("- Goals are checked against the code base, not assumed", "- Goals are checked against the code base, ikke assumed")
    assert code == "DUP003"


def test_notes_of_a_day_may_say_otherwise() -> None:
    notes = {"memory/2026-01-02.md": "- Deploys took 30 minutes on average this week.\n", "SOUL.md": "- Be kind to all.\n"}
    notes["memory/2026-01-03.md"] = "- Deploys took 45 minutes on average this week.\n"
    assert list(findings(workspace(notes))) == []
