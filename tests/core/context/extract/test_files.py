from ctxkit.core.context.extract.classified_call import classify_calls
from ctxkit.core.context.extract.files import FileHistory, find_file_items, make_list_forms, trace_files
from ctxkit.core.context.extract.tool_call import find_tool_calls
from tests.core.context.talk import did, ran, records_of, user


def done(*talk):
    return classify_calls(find_tool_calls(records_of([user("x"), *(turn for part in talk for turn in part)])))


def forms(*talk):
    return {item.forms[0].split(":")[0].split(" ")[0]: item.forms for item in find_file_items(done(*talk))}


def test_the_newest_stands_first_and_each_once() -> None:
    found = trace_files(
        done(
            did("edit", {"path": "a.py"}),
            did("write", {"path": "b.py", "content": ""}),
            did("edit", {"path": "a.py"}),
            ran("sed -i s/x/y/ c.py"),
            did("read", {"path": "d.py"}),
        )
    )
    assert found.changed == ("c.py", "a.py", "b.py")


def test_what_failed_did_not_happen() -> None:
    found = trace_files(
        done(
            did("edit", {"path": "a.py"}, "Error: no match"),
            did("edit", {"path": "b.py"}, None),
            ran("mv x y", "mv: cannot stat 'x'", 1),
        )
    )
    assert (found.changed, found.moved) == ((), ())


def test_a_script_that_failed_may_have_written() -> None:
    assert trace_files(done(ran("echo x > a.txt && make", "error", 2))).changed == ("a.txt",)


def test_two_names_of_one_file_are_told_by_the_longer() -> None:
    found = trace_files(done(did("edit", {"path": "src/a.py"}), did("edit", {"path": "/repo/src/a.py"}), did("edit", {"path": "./src/a.py"})))
    assert found.changed == ("/repo/src/a.py",)
    windows = trace_files(done(did("edit", {"path": "docs/a.md"}), did("edit", {"path": "C:\\app\\docs\\a.md"})))
    assert windows.changed == ("C:\\app\\docs\\a.md",)


def test_what_is_removed_is_not_changed_any_more() -> None:
    found = trace_files(done(did("edit", {"path": "/repo/tmp.py"}), ran("rm tmp.py"), did("write", {"path": "b.py"})))
    assert (found.changed, found.removed) == (("b.py",), ("/repo/tmp.py",))
    assert trace_files(done(ran("rm b.py"), did("write", {"path": "b.py"}))).removed == ()


def test_editors_that_name_no_file_show_it() -> None:
    shown = "[File: /repo/a.py (10 lines total)]\n1:x"
    assert trace_files(done(did("edit", {"search": "x", "replace": "y"}, shown))).changed == ("/repo/a.py",)
    assert trace_files(done(did("bash", {"command": "edit 4:4\nrm -rf b\nend_of_edit"}, shown))).changed == ("/repo/a.py",)
    refused = f"Your proposed edit has introduced new syntax error(s).\n{shown}"
    assert trace_files(done(did("bash", {"command": "edit 4:4\nx\nend_of_edit"}, refused))).changed == ()


def test_patches() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n*** Delete File: b.py\n*** End Patch"
    found = trace_files(done(did("apply_patch", {"input": patch}), did("shell", {"command": ["apply_patch", patch.replace("a.py", "c.py")]})))
    assert set(found.changed) == {"a.py", "c.py"}
    assert found.removed == ("b.py",)


def test_python_that_writes() -> None:
    code = "with open('out/x.json', 'w') as f: ...\nPath('y.txt').write_text('')\nopen('read.txt')\nPath('z').exists()"
    assert set(trace_files(done(did("python", {"code": code}))).changed) == {"out/x.json", "y.txt"}


def test_long_lists_have_shorter_forms() -> None:
    many = forms(*(did("edit", {"path": f"/home/me/project/src/module_{n}.py"}) for n in range(24)))["Changed"]
    assert many[0].count("/home/me/project/src/") == 24
    assert many[1].startswith("Changed in /home/me/project/src/: module_23.py, module_22.py,")
    assert many[1].count("module_") == 24
    assert [form.count("module_") for form in many[2:]] == [12, 6, 3]
    assert many[2].endswith("module_12.py and others.")
    assert sorted(map(len, many), reverse=True) == list(map(len, many))


def test_the_page_names_no_more_than_the_newest() -> None:
    more = forms(*(did("edit", {"path": f"/home/me/project/src/module_{n}.py"}) for n in range(80)))["Changed"]
    assert [form.count("module_") for form in more] == [80, 24, 12, 6, 3]


def test_a_change_that_is_not_certain_is_traced_and_not_told() -> None:
    talk = [did("edit", {"path": "a.py"}, "ok"), ran("curl -o /repo/b.zip https://example.org/b.zip")]
    assert trace_files(done(*talk)).changed == ("/repo/b.zip", "a.py")
    assert trace_files(done(*talk)).uncertain == {"/repo/b.zip"}
    assert forms(*talk)["Changed"] == ("Changed: a.py.",)
    assert trace_files(done(*talk, did("write", {"path": "/repo/b.zip"}, "ok"))).uncertain == frozenset()


def test_a_file_that_is_not_there_later_is_not_certain() -> None:
    talk = [did("write", {"path": "/repo/a.md"}, "ok"), did("write", {"path": "/repo/b.md"}, "ok"), did("write", {"path": "/repo/c.md"}, "ok")]
    looks = [ran("wc -l /repo/a.md", "wc: /repo/a.md: No such file or directory", 1), did("read", {"path": "/repo/b.md"}, "File not found.")]
    assert trace_files(done(*talk, *looks)).uncertain == {"/repo/a.md", "/repo/b.md"}
    assert forms(*talk, *looks)["Changed"] == ("Changed: /repo/c.md.",)
    assert trace_files(done(*looks, *talk)).uncertain == frozenset()


def test_a_file_below_a_variable_may_be_moved() -> None:
    talk = [did("write", {"path": "${WORK}/src/a.py"}, "ok"), ran("mv src/a.py src/b.py")]
    assert trace_files(done(*talk)).changed == ()


def test_a_refused_edit_changed_nothing() -> None:
    refused = did("apply_patch", {"input": "*** Begin Patch\n*** Update File: b.py\n*** End Patch"}, "apply_patch verification failed: no hunk")
    assert trace_files(done(did("edit", {"path": "a.py"}, "No changes to apply."), refused)).changed == ()


def test_nothing_touched_nothing_told() -> None:
    assert forms(did("Grep", {"pattern": "x"})) == {}


def test_a_diff_that_is_written_into_a_file_is_no_patch() -> None:
    diff = "--- a/other.go\n+++ b/other.go\n@@ -1 +1 @@\n-x\n+y\n"
    found = trace_files(done(did("write", {"path": "fix.patch", "content": diff}), did("edit", {"path": "docs/a.md", "new_string": diff})))
    assert found.changed == ("docs/a.md", "fix.patch")
    assert trace_files(done(did("apply_patch", {"path": ".", "patch": diff}))).changed == ("other.go",)


def test_a_file_that_was_moved_twice_stands_once() -> None:
    calls = done(ran("mv a b"), ran("mv b c"))
    assert trace_files(calls).moved == (("a", "c"),)
    assert trace_files(done(ran("mv a b"), ran("rm b"))).moved == ()


def test_files_for_once_are_not_told_as_changes() -> None:
    found = trace_files(done(did("write", {"path": "/tmp/patch.py", "content": ""}), did("edit", {"path": "/tmp/repo/a.py"})))
    assert found.changed == ("/tmp/repo/a.py",)


def test_a_removed_folder_takes_its_files_along() -> None:
    talk = [did("write", {"path": "/repo/scratch/a.py"}), did("read", {"path": "/repo/scratch/b.py"}), did("edit", {"path": "/repo/c.py"})]
    history = trace_files(done(*talk, ran("rm -rf scratch")))
    assert (history.changed, history.removed) == (("/repo/c.py",), ("/repo/scratch/a.py",))
    windows = trace_files(done(did("write", {"path": "c:\\app\\scratch\\a.py"}), ran("Remove-Item -Recurse -Force scratch")))
    assert (windows.changed, windows.removed) == ((), ("c:\\app\\scratch\\a.py",))


def test_caches_are_not_named_as_removed() -> None:
    assert trace_files(done(ran("rm -rf src/__pycache__ .mypy_cache a.pyc b.py"))).removed == ("b.py",)


def test_what_has_no_result_is_not_known_to_have_happened() -> None:
    history = trace_files(done(did("bash", {"command": "mv a b && rm c && cp d e"}, None), did("read", {"path": "f.py"}, None)))
    assert history == FileHistory((), (), ())


def test_relative_paths_do_not_stand_under_a_temporary_folder() -> None:
    names = [f"/tmp/{number}/log_of_the_run.txt" for number in range(9)]
    assert not any(form.startswith("Changed in /tmp/:") for form in make_list_forms("Changed", [*names, "src/a.py"]))


def test_temporary_files_logs_and_caches_are_left_out() -> None:
    talk = (
        did("edit", {"path": "src/a.py"}),
        did("write", {"path": "/tmp/run/out.txt", "content": ""}),
        ran("touch dev.log && rm -rf /tmp/clone && mv /tmp/a.gz /tmp/b.gz && mv c.py d.py"),
    )
    assert {label: listed[0] for label, listed in forms(*talk).items()} == {
        "Changed": "Changed: src/a.py.",
    }
    assert "/tmp/run/out.txt" in trace_files(done(*talk)).changed


def test_files_of_work_in_a_temporary_folder_stay() -> None:
    talk = (did("edit", {"path": "/tmp/app/a.py"}),)
    assert {label: listed[0] for label, listed in forms(*talk).items()} == {
        "Changed": "Changed: /tmp/app/a.py.",
    }


def test_relative_paths_seem_to_be_in_no_folder() -> None:
    paths = [f"/workspace/project/src/module{number}.py" for number in range(9)]
    assert make_list_forms("Changed", paths)[-1].startswith("Changed in /workspace/project/src/: ")
    assert not any(form.startswith("Changed in") for form in make_list_forms("Changed", [*paths, "b.py"]))
    moved = [f"/workspace/project/a{number} -> /workspace/project/b{number}" for number in range(9)]
    assert not any(form.startswith("Moved in") for form in make_list_forms("Moved", moved))


def test_a_file_that_moved_is_not_listed_where_it_was() -> None:
    talk = (did("edit", {"path": "src/a.py"}), did("edit", {"path": "lib/b.py"}), did("edit", {"path": "c.py"}), ran("git mv lib pkg && mv c.py d.py"))
    assert {label: listed[0] for label, listed in forms(*talk).items()} == {
        "Changed": "Changed: src/a.py.",
    }
    assert set(trace_files(done(*talk)).changed) == {"src/a.py", "lib/b.py", "c.py"}


def test_a_file_that_the_session_created_and_removed_is_not_named() -> None:
    found = trace_files(done(did("write", {"path": "/repo/check.py"}), ran("rm check.py"), ran("rm old.py")))
    assert (found.changed, found.removed, found.scratch) == ((), ("old.py",), ("/repo/check.py",))


def test_a_folder_that_exists_again_is_not_removed() -> None:
    found = trace_files(done(ran("rm -rf web docs"), did("write", {"path": "web/app.js"})))
    assert (found.changed, found.removed) == (("web/app.js",), ("docs",))


def test_files_that_were_only_read_or_are_gone_are_left_out() -> None:
    assert forms(did("read", {"path": "new.py"}), ran("rm old.py")) == {}


def test_a_file_that_was_written_under_a_temporary_name_is_changed() -> None:
    history = trace_files(done(ran("echo x > config.json.tmp && mv config.json.tmp config.json")))
    assert (history.changed, history.moved) == (("config.json",), ())


def test_a_file_with_its_whole_name_is_not_listed_where_it_was_before_a_move() -> None:
    calls = done(
        did("write", {"path": "/r/tex/a.tex"}),
        did("write", {"path": "/r/main.tex"}),
        did("write", {"path": "/r/b.md"}),
        ran("mkdir -p paper && mv main.tex refs.bib paper/ && mv tex/ paper/"),
        did("edit", {"path": "/r/paper/main.tex"}),
    )
    history = trace_files(calls)
    assert history.changed == ("/r/paper/main.tex", "/r/b.md")
    assert ("tex/", "paper/") in history.moved


def test_a_file_at_the_target_of_a_move_stays_in_the_list() -> None:
    calls = done(did("write", {"path": "/new/docs/a.md"}), ran("mv docs/a.md /new/docs/"))
    assert trace_files(calls).changed == ("/new/docs/a.md",)


def test_a_file_that_is_back_in_its_place_was_not_moved() -> None:
    assert trace_files(done(ran("mv a.conf a.bak"), ran("mv a.bak a.conf"))).moved == ()
    assert trace_files(done(ran("mv a.conf a.bak"), ran("mv a.bak b.conf"))).moved == (("a.conf", "b.conf"),)


def test_a_file_that_windows_removes_is_not_listed() -> None:
    written = did("write", {"path": "C:/app/a.md"}), did("write", {"path": "C:/app/b.md"})
    for command in (
        r"del /f C:\app\a.md",
        r'powershell -Command "Remove-Item -Path C:\app\a.md, C:\app\c.md -Force"',
        r"Get-Date; Remove-Item 'C:\app\a.md'",
        "rm -f /c/app/a.md",
    ):
        assert forms(*written, ran(command)) == {"Changed": ("Changed: C:/app/b.md.",)}
    assert forms(*written, ran(r"rd /s /q C:\app")) == {}


def test_a_relative_name_ends_with_the_file_that_it_names() -> None:
    written = did("write", {"path": "a.md"}), did("write", {"path": "docs/b.md"})
    assert forms(*written, ran("rm -f /home/me/app/a.md")) == {"Changed": ("Changed: docs/b.md.",)}
    assert len(trace_files(done(*written, ran("cd /tmp/x && rm a.md b.md"))).uncertain) == 0


def test_a_tool_that_deletes_removes_its_file() -> None:
    found = trace_files(done(did("Write", {"path": "a.py"}), did("Delete", {"path": "a.py"})))
    assert (found.changed, found.scratch) == ((), ("a.py",))
    assert trace_files(done(did("delete_lines", {"path": "a.py", "search": "x"}))).changed == ("a.py",)


def test_a_hidden_folder_redirects_nothing() -> None:
    run = ran("cd <repo> && <repo>/.venv/bin/python check.py; F=<home>/a.jsonl; cat > <repo>/b.md <<E\nx\nE")
    assert trace_files(done(run)).changed == ("<repo>/b.md",)
    assert trace_files(done(did("Write", {"path": "<repo>/b.py"}), ran("rm <repo>/b.py"))).changed == ()
