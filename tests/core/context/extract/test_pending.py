from ctxkit.core.context.extract.pending import MAX_UNANSWERED, find_open_items, find_todo_items
from ctxkit.core.context.extract.requests import find_requests
from ctxkit.core.context.extract.todo import TodoList
from ctxkit.core.context.extract.tool_call import find_tool_calls
from tests.core.context.talk import did, records_of, said, user


def pending(*talk):
    records = records_of(list(talk))
    spoken = [(at, record.words) for at, record in enumerate(records) if record.role == "assistant"]
    return [item.forms[0] for item in find_open_items(find_requests(records), find_tool_calls(records), spoken)]


def test_the_list_of_things_to_do() -> None:
    items = list(find_todo_items(TodoList(("c", "d"), ("b",), ("a.", "z"), 3)))
    assert [(item.section, item.forms[0]) for item in items] == [
        ("Pending", "b (in progress)"),
        ("Pending", "c"),
        ("Pending", "d"),
        ("Facts", "Done: a; z."),
    ]


def test_requests_without_an_answer_the_last_too() -> None:
    assert pending(user("one"), said("done"), user("Look at two. Well."), user("Look at three.")) == ["Look at two.", "Look at three."]
    assert pending(user("one"), said("done")) == []


def test_calls_without_a_result() -> None:
    assert pending(user("x"), *did("bash", {"command": "make"}, None)) == ["bash: make (no result yet)"]
    assert pending(user("x"), *did("finish", {}, None)) == []
    assert pending(user("x"), *did("bash", {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A"}, None)) == []
    assert pending(user("x"), *did("run_command", {}, None)) == []
    assert pending(user("x"), *did("bash", {"command": "make"}), said("ok")) == []
    assert pending(user("x"), *did("bash", {"command": "bash run.sh ."}, None)) == ["bash: `bash run.sh .` (no result yet)"]


def test_a_look_without_a_result_is_not_open() -> None:
    assert pending(user("x"), *did("bash", {"command": "sed -n 1,20p a.js"}, None)) == []
    assert pending(user("x"), *did("read_file", {"path": "a.js"}, None)) == []


def test_of_thousands_of_unanswered_requests_the_newest_are_read() -> None:
    items = pending(*(user(f"Mend case {number}.") for number in range(3 * MAX_UNANSWERED)))
    assert len(items) == MAX_UNANSWERED
    assert items[-1] == f"Mend case {3 * MAX_UNANSWERED - 1}."


def test_a_reply_is_not_open() -> None:
    assert pending(user("Add it."), said("Shall I commit it?"), user("yes please")) == []


def test_thanks_and_marks_of_the_end_are_not_open() -> None:
    assert pending(user("one"), said("done"), user("Thank you for your help! That's all I needed. ###STOP###")) == []


def test_an_open_script_is_told_with_its_end() -> None:
    script = 'git init\n# all\ngit add .\ngit commit -m "First"\ngit push -u origin main'
    assert pending(user("Push it."), *did("bash", {"command": script}, None)) == [
        'bash: git init; git add .; git commit -m "First"; git push -u origin main (no result yet)'
    ]
    joined = "git init && \\\ngit add . && \\\ngit push"
    assert pending(user("Push it."), *did("bash", {"command": joined}, None)) == ["bash: `git init && git add . && git push` (no result yet)"]
    many = "\n".join(f"make target-{number:03}" for number in range(40))
    assert pending(user("Make it."), *did("bash", {"command": many}, None)) == ["bash: make target-000; …; make target-039 (40 lines) (no result yet)"]


def test_an_open_script_is_told_by_what_it_changes() -> None:
    message = "It is proven in both directions, rather than assumed.\n" * 4
    script = f"""cd /srv/app
gh run view 29905432689 --repo owner/name --log-failed 2>&1 | grep -iE "fails deliberately|Failed: 1|Passed: " | head -6
echo "--- reverting the probe, which has shown what it was there for ---"
git rm -q scripts/tests/Probe.Tests.ps1
git commit -q -m "$(cat <<'EOF'
{message}
EOF
)"
git push -q origin dev
sleep 45
gh run list --repo owner/name --limit 1 --json status,conclusion,databaseId --jq '.[0].conclusion'"""
    assert pending(user("Revert it."), *did("Bash", {"command": script}, None)) == [
        'Bash: git rm -q scripts/tests/Probe.Tests.ps1; git commit -q -m "…"; git push -q origin dev (8 lines) (no result yet)'
    ]


def test_words_that_name_no_work_are_not_open() -> None:
    assert pending(user("Fix a.py."), said("Done."), user("what happened"), user("Fix b.py.")) == ["Fix b.py."]


def test_an_answer_to_the_agent_is_told_by_the_task() -> None:
    question = said("Phase one covers the parser. Shall I write the tests of phase one?")
    assert pending(user("Fix a.py."), question, user("phase one only")) == []
