"""Notes are quotations and lists, the most important first."""

from ctxkit.core.summary.notes import (
    find_checks,
    find_demand_notes,
    find_lists,
    find_task,
    find_work,
    quote_words,
    read_conversation,
)
from tests.core.summary.talk import did, ran, records_of, said, user


def told(source, *talk, **given):
    parts = read_conversation(records_of([turn for part in talk for turn in (part if isinstance(part, list) else [part])]))
    return [note.forms[0] for note in source(parts, **given)]


def test_the_task_comes_first_and_no_log_is_quoted() -> None:
    logs = "[Proxy] GET /api/health -> http://localhost.\n[CLI] Testing it now in full."
    request = user(f"Mend the proxy. It loses requests under load.\n{logs}")
    assert told(find_task, request) == ["Mend the proxy.", "It loses requests under load."]


def test_lists_begin_with_what_nothing_resolved() -> None:
    todos = [{"content": "Publish", "status": "pending"}, {"content": "Build", "status": "completed"}]
    calls = [
        *ran("make a", "error: a", 2),
        *ran("make b", "error: b", 2),
        *ran("make b", "ok"),
        *ran("cat c.py", "cat: c.py: No such file or directory", 1),
        *did("Edit", {"file_path": "src/d.py"}),
        *did("TodoWrite", {"todos": todos}),
    ]
    assert told(find_lists, user("x"), calls) == [
        "`make a`: error: a",
        "Changed: src/d.py.",
        "Changed: src/d.py.",
        "Publish",
        "`make b`: error: b; passed later",
        "`cat c.py`: cat: c.py: No such file or directory",
    ]


def test_a_sentence_that_announces_the_task_goes_on_with_it() -> None:
    plan = user("Implement the following plan:\n\n# Ask before a run\n\n## Context\nA run costs money. It starts at once.")
    assert told(find_task, plan) == ["Implement the following plan: Ask before a run"]
    issue = user("We solve the following issue.\nHere it is:\nISSUE:\nTimes lose digits\nA time is rounded in some cases.")
    assert told(find_task, issue) == ["We solve the following issue. Here it is: ISSUE: Times lose digits"]


def test_a_request_that_points_back_follows_the_one_before_it() -> None:
    talk = [user("Sign wallets in by SIWE. It is safe."), said("Shall I?"), user("fold it in to phase 12.")]
    assert told(find_task, *talk) == ["Sign wallets in by SIWE. / fold it in to phase 12."]
    assert told(find_task, user("fold it in to phase 12.")) == ["fold it in to phase 12."]
    plan = user("Implement the plan:\n\n# Ask before a run")
    assert told(find_task, plan, user("don't commit it")) == ["Implement the plan: Ask before a run / don't commit it"]
    assert told(find_task, user("Use tabs."), user("Publish the parser of it and say so in the notes of the release as well, pretty please.")) == [
        "Publish the parser of it and say so in the notes of the release as well, pretty please."
    ]
    praised = [user("Sign wallets in by SIWE."), said("Done."), user("i read what we have, it's good. continue")]
    assert told(find_task, *praised) == ["Sign wallets in by SIWE."]


def test_on_a_page_stands_of_earlier_requests_what_binds() -> None:
    talk = [user("Please make the colors different. Never use green."), said("ok"), user("Now please add a theme.")]
    notes = list(find_demand_notes(read_conversation(records_of(talk))))
    assert [(note.section, note.forms[0]) for note in notes] == [
        ("Decisions", "Now please add a theme."),
        ("Decisions", "Never use green."),
        ("", "Please make the colors different."),
    ]


def test_a_page_tells_of_a_document_what_begins_as_a_demand() -> None:
    plan = f"Implement the following plan:\n\n# Tabs\n{'Some words. ' * 90}\nThe tab shows only one row.\n- Never touch the API.\n- **Only rename** what is new"
    notes = list(find_demand_notes(read_conversation(records_of([user(plan)]))))
    assert [(note.section, note.forms[0]) for note in notes] == [
        ("Decisions", "**Only rename** what is new"),
        ("Decisions", "Never touch the API."),
        ("", "The tab shows only one row."),
    ]


def test_a_command_of_the_host_is_no_request() -> None:
    assert told(find_task, user("Use tabs."), said("Done."), user("<command-name>/exit</command-name>")) == ["Use tabs."]
    assert told(find_task, user("Use tabs."), said("Done."), user("<command-name>/plan</command-name>")) == ["/plan"]


def test_failures_of_older_requests_stand_in_the_record_only() -> None:
    talk = [user("Build it."), *ran("make", "error: a", 2), said("It fails."), user("Now test."), user("Now lint."), *ran("lint", "error: b", 2)]
    sections = {note.forms[0]: note.section for note in find_lists(read_conversation(records_of(talk)))}
    assert sections == {"`lint`: error: b": "Errors", "`make`: error: a": ""}


def test_other_sentences_end_where_the_prose_ends() -> None:
    log = "## Log\n\nThe spec is ready to use!"
    request = user(f"The warnings are still there. They come from the client of the API.\n\n{log}")
    assert told(find_task, request) == ["The warnings are still there.", "They come from the client of the API."]
    assert told(find_demand_notes, request) == []


def test_demands_in_the_prompt_of_a_command_are_of_its_author() -> None:
    command = "<command-name>/plan</command-name><command-args>phase 2</command-args>"
    typed = {"type": "user", "uuid": "a", "parentUuid": None, "message": user(command)}
    prompt = {"type": "user", "uuid": "b", "parentUuid": "a", "isMeta": True, "message": user("Never skip a step.")}
    assert told(find_task, typed, prompt) == ["/plan phase 2"]
    assert told(find_demand_notes, typed, prompt) == []
    assert told(quote_words, typed, prompt) == ["> Never skip a step.\n", "> /plan phase 2\n"]


def test_demands_of_messages_that_leave_come_first() -> None:
    talk = [user("Never push."), said("ok"), user("Use tabs.")]
    assert told(find_demand_notes, *talk) == ["Use tabs.", "Never push."]
    assert told(find_demand_notes, *talk, cut=1) == ["Never push.", "Use tabs."]


def test_checks_are_told_by_their_last_result() -> None:
    calls = [*ran("pytest", "===== 3 passed in 0.1s ====="), *ran("pytest", "===== 4 passed in 0.1s ====="), *ran("ls", "OK")]
    assert told(find_checks, user("x"), calls) == ["`pytest`: 4 passed in 0.1s"]


def test_a_check_is_told_once_whatever_filters_its_output() -> None:
    calls = [*ran("bun test | tail -9", "2 pass\n 0 fail\nRan 2 tests."), *ran("bun test | tail", " 3 pass\n 0 fail\nRan 3 tests.")]
    assert told(find_checks, user("x"), calls) == ["`bun test | tail`: 3 pass / 0 fail"]
    assert told(find_checks, user("x"), ran("bun test | grep ^Ran", "Ran 2 tests.")) == []


def test_a_command_that_goes_on_is_told_with_a_mark() -> None:
    commit = ran("git commit -m \"$(cat <<'EOF'\nMend it\nEOF\n)\"", "[main 4fdac62f9] Mend it")
    assert told(find_checks, user("x"), commit) == ["`git commit -m \"$(cat <<'EOF' ...`: [main 4fdac62f9] Mend it"]


def test_words_are_quoted_the_newest_first() -> None:
    assert told(quote_words, user("One.\n\nTwo."), said("ok"), user("Three.")) == ["> Three.\n", "> One.\n>\n> Two.\n"]


def test_work_is_told_by_answers_and_then_by_calls() -> None:
    calls = [*ran("make", "ok"), *did("Read", {"file_path": "a.py"}, "x")]
    assert told(find_work, user("x"), said("I look."), calls, said("Done.")) == ["I look.", "`Read a.py`", "`make`"]


def test_thanks_before_a_request_are_not_the_task() -> None:
    assert told(find_task, user("Good. Thanks! Now say in the README what the limit means. Keep it short please.")) == [
        "Now say in the README what the limit means.",
        "Keep it short please.",
    ]
    assert told(find_task, user("Good.")) == ["Good."]
    assert told(find_task, user("Mend the proxy."), said("So?"), user("ok that sounds good to me")) == ["Mend the proxy."]
