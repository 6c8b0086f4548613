import os
import subprocess
import sys

from ctxkit.engines.holder import UNSEEN, gone, myself


def test_who_is_at_work_is_not_gone_however_long_it_takes():
    assert not gone(myself(), 0)
    assert not gone(myself(), 10**9)
    assert not gone(myself(), -(10**9))


def test_a_process_that_ended_is_gone_at_once():
    child = subprocess.Popen([sys.executable, "-c", "from ctxkit.engines.holder import myself; print(myself())"], stdout=-1)
    name = child.communicate()[0].decode().strip()
    assert gone(name, 0)


def test_a_later_process_of_the_same_number_is_another():
    place, number, began = myself().rsplit(" ", 2)
    assert number == str(os.getpid())
    if began:
        assert gone(f"{place} {number} {int(began) - 1}", 0)


def test_who_cannot_be_seen_is_given_some_time_whichever_way_the_clock_went():
    elsewhere = "another/machine/0 1 1"
    assert not gone(elsewhere, UNSEEN - 1)
    assert gone(elsewhere, UNSEEN + 1)
    assert gone(elsewhere, -UNSEEN - 1)


def test_what_is_no_name_is_given_time_too():
    for name in ("", " ", "x", "a b"):
        assert not gone(name, 0)
        assert gone(name, UNSEEN + 1)
