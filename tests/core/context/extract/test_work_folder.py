"""Commands that name the folder in which they run."""

from ctxkit.core.context.extract.classified_call import classify_calls
from ctxkit.core.context.extract.files import trace_files
from ctxkit.core.context.extract.shell import FileEffects
from ctxkit.core.context.extract.tool_call import find_tool_calls
from ctxkit.core.context.extract.work_folder import find_work_folders, place_effects, read_work_folder
from tests.core.context.talk import did, records_of, user


def run_in(*pairs):
    talk = [did("shell", {"command": command, "workdir": folder}, "ok") for folder, command in pairs]
    return classify_calls(find_tool_calls(records_of([user("x"), *(turn for part in talk for turn in part)])))


def test_a_file_is_named_within_the_folder_of_its_command() -> None:
    calls = run_in(("/r", "touch a.md"), ("/r/web", "echo x > docs/b.md"), ("/r/web/", "echo x > /r/c.md; rm ../a.md"))
    assert find_work_folders(calls) == {"/r": "", "/r/web": "web"}
    assert trace_files(calls).changed == ("/r/c.md", "web/docs/b.md", "a.md")


def test_one_folder_for_all_commands_is_left_out() -> None:
    calls = run_in(("/r", "touch a.md"), ("/r", "touch b.md"))
    assert trace_files(calls).changed == ("b.md", "a.md")


def test_files_of_folders_apart_have_their_whole_names() -> None:
    calls = run_in(("/r", "touch a.md"), ("/s", "touch b.md"), ("relative", "touch c.md"))
    assert trace_files(calls).changed == ("c.md", "/s/b.md", "/r/a.md")
    assert [read_work_folder(call) for call in calls] == ["/r", "/s", ""]


def test_effects_of_all_kinds_are_placed() -> None:
    effects = FileEffects(("a", "/b", "c:\\d"), ("./e",), (("f", "~/g"),), ("../h",))
    assert place_effects(effects, "") == effects
    assert place_effects(effects, "web") == FileEffects(("web/a", "/b", "c:\\d"), ("web/e",), (("web/f", "~/g"),), ("../h",))
