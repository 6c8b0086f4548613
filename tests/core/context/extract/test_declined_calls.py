from ctxkit.core.context.extract.declined_calls import add_declined_requests
from ctxkit.core.context.extract.requests import UserRequest, find_requests
from ctxkit.core.context.extract.tool_call import find_tool_calls
from tests.core.context.extract.test_task import page_of
from tests.core.context.talk import did, records_of, said, user

DECLINED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\n"
)
NOTE = "\n\nNote: The user's next message may contain a correction or preference. Pay close attention."
TALK = [user("Build a site."), *did("Edit", {"file_path": "a.html"}, f"{DECLINED}Split the title into three lines{NOTE}")]


def requests_of(talk) -> list[UserRequest]:
    records = records_of(talk)
    return list(add_declined_requests(find_requests(records), find_tool_calls(records)))


def test_the_words_of_a_declined_call_are_a_request_in_their_place() -> None:
    talk = [*TALK, said("Done."), user("Now push it to main.")]
    assert [request.text for request in requests_of(talk)] == ["Build a site.", "Split the title into three lines", "Now push it to main."]
    assert requests_of(TALK)[1].own_text == "Split the title into three lines"


def test_a_call_that_was_declined_without_words_or_that_quotes_them_is_no_request() -> None:
    for result in (DECLINED, "The user doesn't want to proceed with this tool use.", f"x\n{DECLINED}Split it"):
        assert len(requests_of([user("Build a site."), *did("Edit", {"file_path": "a.html"}, result)])) == 1


def test_the_task_is_what_the_user_wrote_last() -> None:
    assert page_of([*TALK, said("I change the title.")]).task.startswith("Split the title into three lines")
