import os
import subprocess
import sys

from ctxkit.engines.process_identity import UNSEEN_SECONDS, has_ended, identify_process


def test_who_is_at_work_is_not_gone_however_long_it_takes() -> None:
    assert not has_ended(identify_process(), 0)
    assert not has_ended(identify_process(), 10**9)
    assert not has_ended(identify_process(), -(10**9))


def test_a_process_that_ended_is_gone_at_once() -> None:
    child = subprocess.Popen([sys.executable, "-c", "from ctxkit.engines.process_identity import identify_process; print(identify_process())"], stdout=-1)
    name = child.communicate()[0].decode().strip()
    assert has_ended(name, 0)


def test_a_later_process_of_the_same_number_is_another() -> None:
    place, number, began = identify_process().rsplit(" ", 2)
    assert number == str(os.getpid())
    if began:
        assert has_ended(f"{place} {number} {int(began) - 1}", 0)


def test_who_cannot_be_seen_is_given_some_time_whichever_way_the_clock_went() -> None:
    elsewhere = "another/machine/0 1 1"
    assert not has_ended(elsewhere, UNSEEN_SECONDS - 1)
    assert has_ended(elsewhere, UNSEEN_SECONDS + 1)
    assert has_ended(elsewhere, -UNSEEN_SECONDS - 1)


def test_what_is_no_name_is_given_time_too() -> None:
    for name in ("", " ", "x", "a b"):
        assert not has_ended(name, 0)
        assert has_ended(name, UNSEEN_SECONDS + 1)
