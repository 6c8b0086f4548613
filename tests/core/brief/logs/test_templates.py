import pytest

from ctxkit.core.brief.logs import templates
from ctxkit.core.brief.logs.templates import ERROR, FATAL, NORMAL, SUSPECT, WARN, TemplateCounter, read_level


def counted(text):
    found = TemplateCounter()
    found.add_lines(text, text.split("\n"), 1)
    return found


def test_lines_that_differ_in_words_with_digits_are_one_form() -> None:
    (form,) = counted("user 12 in 3ms\nuser 9 in 41ms\nuser x7 in 1ms").iter_templates()
    assert (form.count, form.first, form.last, form.text) == (3, 1, 3, "user 12 in 3ms")


def test_the_names_of_calls_tell_lines_apart() -> None:
    forms = counted("[12] close(3) = 0\n[12] read(3, 4)\n[13] close(4) = 0").iter_templates()
    assert [(form.count, form.text) for form in forms] == [(2, "[12] close(3) = 0"), (1, "[12] read(3, 4)")]


def test_a_cache_that_is_full_changes_no_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "CACHED", 2)
    found = counted("\n".join(f"{'a' * (1 + n % 5)} {n}" for n in range(100)))
    assert [form.count for form in found.iter_templates()] == [20] * 5


def test_forms_past_the_most_are_merged_by_level_and_first_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "MOST", 1)
    found = counted("kept\nERROR a b c d e f\nERROR a b c d e g\nINFO a b c d e f")
    assert [(form.text, form.count) for form in found.iter_templates()] == [
        ("kept", 1),
        ("ERROR a b c d e f", 2),
        ("INFO a b c d e f", 1),
    ]


@pytest.mark.parametrize(
    ("line", "level", "severity"),
    [
        ("x ERROR y", "ERROR", ERROR),
        ("x [warn] y", "WARN", WARN),
        ("t=1 level=fatal msg=x", "FATAL", FATAL),
        ("2016-09-28 04:30:30, Info  CBS", "INFO", NORMAL),
        ("[Wed Nov 25 23:17:21 2026] [mpm_event:debug] [pid 1] event.c(751): x", "DEBUG", NORMAL),
        ("[Wed Nov 25 23:17:21 2026] [rewrite:trace3] [pid 1] x", "TRACE3", NORMAL),
        ("[    0.1] RCU Tasks Trace: a", "", NORMAL),
        ("03-17 16:13:38.702  1702  2395 E Window", "ERROR", ERROR),
        ("Failed password for root", "", SUSPECT),
        ("done, 0 errors", "", NORMAL),
        ("/var/log/ERROR.log read", "", SUSPECT),
        ("12:00:01 | SUCCESS  | app:run:9 - stored", "SUCCESS", NORMAL),
        ("BUILD SUCCESS", "", NORMAL),
        ("all is well", "", NORMAL),
    ],
)
def test_the_level_of_a_line_is_the_one_it_states(line: str, level: str, severity) -> None:
    assert read_level(line, line) == (level, severity)


def test_the_length_of_a_long_first_line_is_known() -> None:
    line = "2024-01-02 INFO request " + "(" * 500
    [form] = counted(line).iter_templates()
    assert len(form.text) + form.hidden == len(line)


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("[2026-01-02 03:04:05,678: ERROR/MainProcess] Task raised", ERROR),
        ("[INFO/ForkPoolWorker-1] child process", NORMAL),
    ],
)
def test_a_level_may_stand_before_a_slash_and_the_name_of_a_process(line: str, severity: int) -> None:
    assert read_level(line, line)[1] == severity
