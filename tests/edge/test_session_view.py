import re

import pytest

from ctxkit.core.session.ledger import Session
from ctxkit.edge import session_view
from ctxkit.edge.settings import Setting, Settings

SESSION = Session("s", 1000, 200, "qwen3-30b", "", 400, 30, 3, 1, 0, 5.0, 6.0, reserved=50)


def facts(session: Session, **values) -> dict:
    return session_view.session_facts(session, Settings([{key: Setting(value, "test") for key, value in values.items()}]))


def test_what_is_held_is_not_available_and_not_used() -> None:
    found = facts(SESSION)
    assert (found["used"], found["held"], found["available"]) == (400, 50, 350)
    assert (found["model"], found["created"], found["updated"]) == ("qwen3-30b", 5.0, 6.0)
    assert facts(SESSION._replace(model=""))["model"] is None


@pytest.mark.parametrize(("used", "tight", "blocked"), [(709, False, False), (710, True, False), (733, True, False), (734, True, True)])
def test_the_triggers_are_those_of_the_settings(used: int, tight: bool, blocked: bool) -> None:
    found = facts(SESSION._replace(used=used), compact_trigger=0.95, hard_block=0.98)
    assert (found["tight"], found["blocked"]) == (tight, blocked)
    assert not facts(SESSION._replace(used=used), compact_trigger=1.0, hard_block=1.0)["tight"]


def test_a_window_that_was_not_known_is_assumed_until_it_is() -> None:
    unknown = SESSION._replace(window=0, reserve=0, model="")
    found = facts(unknown)
    assert (found["window"], found["reserve"], found["assumed"]) == (32_768, 6_554, True)
    assert session_view.format_session(found).startswith("s: no model, window 32,768 (assumed), reserve 6,554\n")
    known = facts(unknown, model="qwen3-8b")
    assert (known["window"], "assumed" in known) == (40_960, False)


def test_the_settings_of_another_window_do_not_matter() -> None:
    assert facts(SESSION, model="opus", window=7, reserve="50%", max_output_tokens=3)["available"] == 350


def test_text_says_all_of_it() -> None:
    lines = session_view.format_session(facts(SESSION)).splitlines()
    assert lines[:5] == [
        "s: qwen3-30b, window 1,000, reserve 200",
        "used 400 of 800 (50%), 350 available",
        "50 are held by calls under way",
        "30 of what is used are estimated",
        "3 items, 1 as a map, 0 compactions",
    ]
    assert re.fullmatch(r"updated \d{4}-\d\d-\d\d \d\d:\d\d:\d\d", lines[5])
    assert len(lines) == 6


def test_a_row_is_a_line() -> None:
    assert session_view.format_row(facts(SESSION)).split() == ["s", "400", "800", *session_view.format_row(facts(SESSION)).split()[3:5], "qwen3-30b"]
