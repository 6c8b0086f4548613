import pytest

from ctxkit.core.summary.call_kind import classify_call, command_of, path_of
from ctxkit.core.summary.tool_call import ToolCall

PATCH = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"


@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("Bash", {"command": "ls", "description": "x"}, "run"),
        ("shell", {"command": ["bash", "-lc", "ls"]}, "run"),
        ("exec_command", {"cmd": "ls"}, "run"),
        ("run_shell_command", {"command": "ls", "directory": "/x"}, "run"),
        ("run_terminal", {"command": "ls", "cwd": "/x"}, "run"),
        ("execute_ipython_cell", {"code": "1"}, "run"),
        ("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, "edit"),
        ("MultiEdit", {"file_path": "a", "edits": []}, "edit"),
        ("NotebookEdit", {"notebook_path": "a.ipynb"}, "edit"),
        ("write_to_file", {"path": "a", "content": "x"}, "edit"),
        ("replace", {"file_path": "a"}, "edit"),
        ("search_replace", {"file_path": "a"}, "edit"),
        ("create", {"filename": "a"}, "edit"),
        ("insert_edit_into_file", {"filePath": "a"}, "edit"),
        ("apply_patch", PATCH, "edit"),
        ("shell", {"command": ["apply_patch", PATCH]}, "edit"),
        ("str_replace_editor", {"command": "str_replace", "path": "a"}, "edit"),
        ("str_replace_editor", {"command": "view", "path": "a"}, "read"),
        ("str_replace_based_edit_tool", {"command": "insert", "path": "a"}, "edit"),
        ("mcp__fs__write_file", {"path": "a"}, "edit"),
        ("Read", {"file_path": "a"}, "read"),
        ("view_file", {"path": "a"}, "read"),
        ("Grep", {"pattern": "x", "path": "src"}, "other"),
        ("Task", {"description": "x", "prompt": "y"}, "other"),
        ("WebFetch", {"url": "https://e.org"}, "other"),
        ("add_issue_comment", {"path": "a", "body": "x"}, "other"),
        ("TodoWrite", {"todos": []}, "todo"),
        ("update_plan", {"plan": [{"step": "x", "status": "pending"}]}, "todo"),
        ("manage_todo_list", {"todoList": []}, "todo"),
        ("task_tracker", {"command": "plan", "task_list": []}, "todo"),
        ("update_todo_list", {"todos": "[x] a\n[ ] b"}, "todo"),
    ],
)
def test_acts(name: str, arguments, kind: str) -> None:
    assert classify_call(ToolCall(0, name, arguments)) == kind


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        ({"command": "make  x"}, "make  x"),
        ({"command": ["bash", "-lc", "make x"]}, "make x"),
        ({"command": ["git", "status"]}, "git status"),
        ({"cmd": "ls"}, "ls"),
        ("ls -l", "ls -l"),
        ({"action": "x"}, ""),
    ],
)
def test_commands_as_they_would_be_typed(arguments, command: str) -> None:
    assert command_of(ToolCall(0, "shell", arguments)) == command


def test_paths() -> None:
    assert path_of(ToolCall(0, "read", {"uri": "file:///a/b"})) == "/a/b"
    assert path_of(ToolCall(0, "read", {"limit": 3})) == ""


@pytest.mark.parametrize("word", ["~/.local/share/ctxkit/hosts/gemini/wrap.sh", "'/my data/ctxkit/wrap.sh'"])
def test_a_command_is_the_one_behind_the_script_of_the_hook(word: str) -> None:
    assert command_of(ToolCall(0, "bash", {"command": f"test -r {word} && . {word}; cat a"})) == "cat a"


def test_a_script_of_the_project_stays_in_its_command() -> None:
    command = "test -r ./env.sh && . ./env.sh; make"
    assert command_of(ToolCall(0, "bash", {"command": command})) == command
