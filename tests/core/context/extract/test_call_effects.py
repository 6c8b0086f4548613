from ctxkit.core.context.extract.call_effects import find_call_effects
from ctxkit.core.context.extract.classified_call import classify_calls
from ctxkit.core.context.extract.shell import FileEffects
from ctxkit.core.context.extract.tool_call import find_tool_calls
from tests.core.context.talk import did, ran, records_of, user


def effects_of(call) -> FileEffects:
    [classified_call] = classify_calls(find_tool_calls(records_of([user("x"), *call])))
    return find_call_effects(classified_call)


def test_a_file_that_is_not_there_was_not_read() -> None:
    assert effects_of(did("read", {"path": "a.toml"}, "File does not exist.")) == FileEffects()
    assert effects_of(did("read", {"path": "a.toml"}, "x = 1")).read == ("a.toml",)


def test_a_program_that_reports_an_error_wrote_nothing() -> None:
    failed = ran("sed -i s/x/y/ a.py && cp -r in/ready out/", "cp: cannot stat 'in/ready': No such file or directory", 1)
    assert effects_of(failed).changed == ("a.py",)
    assert effects_of(ran("cp -r in/ready out/", "", 0)).changed == ("out/",)


def test_a_script_writes_in_the_folder_that_its_command_enters() -> None:
    script = "cd /srv/app && python3 - <<'PY'\nfrom pathlib import Path\nPath('src/a.h').write_text('x')\nPath('/tmp/b').write_text('x')\nPY"
    assert effects_of(ran(script, "", 0)).changed == ("/srv/app/src/a.h", "/tmp/b")


def test_a_shell_of_an_agent_that_opens_a_file_reads_it() -> None:
    shown = "[File: /repo/a.py (10 lines total)]\n1:x"
    assert effects_of(did("bash", {"command": "open a.py"}, shown)) == FileEffects(read=("/repo/a.py",))


def test_a_script_that_names_a_path_first_writes_it() -> None:
    script = "python - <<'PY'\nfrom pathlib import Path\np = Path('src/a.py')\ns = p.read_text()\np.write_text(s)\nq='b.txt'\nopen(q, 'w')\nr='c.txt'\nopen(r)\nPY"
    assert effects_of(ran(script)).changed == ("src/a.py", "b.txt")


def test_a_call_without_a_result_has_no_effect() -> None:
    assert effects_of(did("edit", {"path": "a.py"}, None)) == FileEffects()


def test_a_script_of_codex_is_no_shell_command() -> None:
    script = "const all = ALL_TOOLS.filter(x => /read_thread|tool_search/.test(x.name));\nif (a.length > b.length) text(a);"
    assert effects_of(did("exec", script, "[]")) == FileEffects()


def test_a_move_that_mv_reports_as_failed_did_not_happen() -> None:
    command = "sudo mv a.conf.test a.conf 2>&1 && echo Swapped || echo Failed"
    assert effects_of(ran(command, "mv: cannot stat 'a.conf.test': No such file or directory\nFailed", 0)).moved == ()
    assert effects_of(ran(command, "Swapped", 0)).moved == (("a.conf.test", "a.conf"),)


def test_a_target_that_is_no_path_is_no_file() -> None:
    assert effects_of(did("patch_state", {"target": "Alice", "op": "move"})) == FileEffects()
    assert effects_of(did("patch_state", {"target": "src/a"})).changed == ("src/a",)
    assert effects_of(did("edit", {"path": "Makefile", "new_string": "x"})).changed == ("Makefile",)
