from ctxkit.core.context.extract.deed import deeds
from ctxkit.core.context.extract.failures import clipped, failure_items, failures
from ctxkit.core.context.extract.judged import judged
from tests.core.context.talk import did, ran, records_of, user


def done(*talk):
    return judged(deeds(records_of([user("x"), *(turn for part in talk for turn in part)])))


def told(*talk):
    return [(failure.tried, failure.line, failure.resolved, failure.times) for failure in failures(done(*talk))]




def test_the_same_call_passing_later_resolves_it():
    assert told(ran("make", "error: a", 2), did("edit", {"path": "a.c"}), ran("make -j4 2>&1 | tail", "done")) == [
        ("make", "error: a", "passes since the edit of a.c", 1)
    ]
    assert told(ran("make", "error: a", 2), ran("make", "done")) == [("make", "error: a", "passed later", 1)]
    assert told(ran("make", "done"), ran("make", "error: a", 2)) == [("make", "error: a", "", 1)]
    assert told(ran("make a", "error: a", 2), ran("make b", "done")) == [("make a", "error: a", "", 1)]


def test_the_edit_nearest_before_the_pass_is_told():
    talk = [ran("make", "error: a", 2), *(did("edit", {"path": f"{name}.c"}) for name in "abc"), ran("make", "done"), did("edit", {"path": "d.c"})]
    assert told(*talk)[0][2] == "passes since the edit of c.c"


def test_the_same_failure_is_told_once():
    assert told(ran("make", "error: a", 2), ran("ls"), ran("make", "error: a", 2)) == [("make", "error: a", "", 2)]
    assert len(told(ran("make", "error: a", 2), ran("make", "error: b", 2))) == 2


def test_edits_that_failed():
    talk = [did("edit", {"path": "a.py", "old": str(n)}, "Error: no match") for n in range(3)]
    assert told(*talk) == [("edit a.py", "Error: no match", "", 3)]
    assert told(*talk, did("edit", {"path": "a.py"}))[0][2] == "the next edit of it passed"


def test_bullets_quote_the_command_and_the_line():
    [item] = failure_items(done(ran("make -C /very/long all", "error: no rule\nsee the log", 2)))
    assert item.forms == (
        "`make -C /very/long all`: error: no rule / see the log",
        "`make -C /very/long all`: error: no rule",
        "`make -C /very/long all`: error: no rule",
        "`make -C /very/long all`: error: no rule",
    )
    [item] = failure_items(done(ran("grep x y", "", 1)))
    assert item.forms[0] == "`grep x y` failed (exit 1)"


def test_open_failures_of_commands_are_worth_most():
    worth = {
        item.forms[0].split("`")[1]: item.worth
        for item in failure_items(
            done(
                ran("make", "error: a", 2),
                ran("make", "done"),
                ran("cc", "error: b", 2),
                did("edit", {"path": "z"}, "Error: c"),
                ran("grep q w", "", 1),
            )
        )
    }
    assert worth["cc"] > worth["edit z"] > worth["make"] > worth["grep q w"] > 700


def test_clipping_keeps_whole_words():
    assert clipped("one two three", 20) == "one two three"
    assert clipped("one two three", 9) == "one two"
    assert clipped("cp: /a/very/long/path/that/goes/on: No such file", 12) == "cp: /a/very/long/path/that/goes/on:"
    assert clipped("x" * 50, 10) == "x" * 10


def test_what_was_edited_right_after_is_told_as_the_answer():
    [item] = failure_items(done(ran("make", "error: a", 2), did("read", {"path": "a.c"}), did("edit", {"path": "a.c"})))
    assert item.forms[0] == "`make`: error: a; then edited a.c"
    far = [ran("make", "error: a", 2), *(ran(f"ls {n}") for n in range(9)), did("edit", {"path": "a.c"})]
    assert [item.forms[0] for item in failure_items(done(*far))] == ["`make`: error: a"]
