from ctxkit.core.context.extract.classified_call import classify_calls
from ctxkit.core.context.extract.runs import MAX_COMMITS, MAX_RUNS, find_run_items
from ctxkit.core.context.extract.tool_call import find_tool_calls
from tests.core.context.talk import did, ran, records_of, user


def told(*talk):
    return [item.forms[0] for item in find_run_items(classify_calls(find_tool_calls(records_of([user("x"), *(turn for part in talk for turn in part)]))))]


def test_checks_that_passed_the_newest_first() -> None:
    assert told(
        ran("pytest -q", "3 passed in 0.1s"),
        ran("ls -la", "a\nb"),
        ran("make build", "x\n" * 50),
        ran("git commit -m y", "[main 9f2c1ab] y\n 1 file changed"),
        ran("cargo test", "error: x", 1),
        ran("pytest -q", "4 passed in 0.2s"),
    ) == ["`pytest -q`: 4 passed in 0.2s", "Committed [main 9f2c1ab] y", "`make build` passed"]


def test_the_line_that_tells_whether_tests_pass_is_quoted() -> None:
    bun = " 1226 pass\n 0 fail\n 2654 expect() calls\nRan 1226 tests across 56 files. [740.00ms]"
    assert told(ran("bun test 2>&1 | tail -5", bun)) == ["`bun test 2>&1 | tail -5`: 1226 pass, 0 fail, Ran 1226 tests across 56 files. [740.00ms]"]
    assert told(did("bash", {"command": "bun test | tail -1"}, "Ran 1226 tests across 56 files. [740.00ms]")) == []
    cargo = "   Compiling tij v0.4.4\n    Finished `test` profile [unoptimized] target(s) in 5.98s\nrunning 620 tests"
    assert told(did("bash", {"command": "cargo test 2>&1 | head"}, cargo)) == []
    assert told(ran("cargo test", f"{cargo}\ntest result: ok. 620 passed; 0 failed")) == ["`cargo test`: test result: ok. 620 passed; 0 failed"]


def test_what_a_script_printed_is_no_result() -> None:
    assert told(did("bash", {"command": "python a.py"}, "345\n")) == []
    assert told(ran("python a.py", "345\n")) == []
    assert told(did("bash", {"command": "python a.py"}, "x\n" * 500)) == []
    assert told(did("bash", {"command": "pytest"}, None)) == []


def test_only_so_many() -> None:
    assert len(told(*(ran(f"make a{n}test", "ok") for n in range(MAX_RUNS + 5)))) == MAX_RUNS
    commits = (ran(f"git commit -m {n}", f"[main 9f2c1ab] {n}") for n in range(MAX_COMMITS + 5))
    assert len(told(*commits)) == MAX_COMMITS


def test_commits_from_before_a_rewritten_history_are_left_out() -> None:
    first = ran("git commit -m a", "[main 9f2c1ab] a")
    amended = ran("git commit --amend -m b", "[main 1f2c1ab] b")
    assert told(first, amended) == ["Committed [main 1f2c1ab] b"]
    assert told(first, ran("git rebase main", "Successfully rebased.")) == []
    assert told(first, ran("git reset --hard HEAD~1", "HEAD is now at 1")) == []
    assert told(first, ran("git reset a.py", "")) == ["Committed [main 9f2c1ab] a"]


def test_a_commit_of_several_sentences_is_told_by_the_first() -> None:
    line = "[main 9f2c1ab] project: add a loader of the settings (a.*) everywhere. Show more"
    assert told(ran("git commit -m x", f"{line}\n 2 files changed")) == ["Committed [main 9f2c1ab] project: add a loader of the settings (a.*)"]


def test_colours_are_no_part_of_a_result() -> None:
    assert told(ran("pnpm build", "[32m✓ built in 3.46s[39m")) == ["`pnpm build`: ✓ built in 3.46s"]


def test_a_result_is_told_of_the_last_run_of_a_check_only() -> None:
    runs = (ran("pytest -q a.py", "1 passed"), ran("pytest -q b.py", "2 passed"))
    assert told(*runs) == ["`pytest -q b.py`: 2 passed"]
    assert told(*runs, ran("pytest -q", "1 failed", 1)) == []


def test_a_change_of_a_program_makes_a_result_stale() -> None:
    run = ran("pytest -q", "1 passed")
    assert told(run, did("edit", {"path": "a.py", "old_str": "a", "new_str": "b"})) == []
    assert told(run, ran("git mv a.py b.py")) == []
    assert told(run, did("edit", {"path": "README.md", "old_str": "a", "new_str": "b"})) == ["`pytest -q`: 1 passed"]


def test_what_a_command_echoes_is_no_result() -> None:
    assert told(ran('pytest -q > x && echo "Done"', "Done")) == []


def test_a_run_over_packages_is_not_told_by_one_of_them() -> None:
    assert told(ran("go test ./...", "ok  pkg/121\t0.1s\nok  pkg/122\t0.2s")) == ["`go test ./...` passed"]
    assert told(did("bash", {"command": "go test ./..."}, "ok  \tpkg/121\t0.1s\nok  \tpkg/122\t0.2s\n")) == ["`go test ./...` passed"]


def test_the_echo_of_a_script_is_no_result() -> None:
    assert told(ran("npm run lint", "> eslint src --ext .ts")) == ["`npm run lint` passed"]
    assert told(ran("make build &&", "Successfully built")) == ["`make build`: Successfully built"]


def test_the_result_of_a_build_is_no_announcement() -> None:
    output = "transforming (1) src/a.tsxFound 1 warning while optimizing generated CSS:\nbody\n✓ built in 7.01s"
    assert told(ran("npm run build", output)) == ["`npm run build`: ✓ built in 7.01s"]


def test_a_status_that_says_nothing_of_the_check_is_not_told() -> None:
    unclear = ("go test ./... | tail", "make || echo failed", "docker compose logs app", "cat <<E > m && make\nE", "make &")
    for command in (*unclear, "if [ -f pom.xml ]; then mvn test; fi"):
        assert told(ran(command, "x")) == []
    assert told(ran("go test ./... | tail", "12 passed")) == ["`go test ./... | tail`: 12 passed"]
    assert told(ran("npm run build", "Finished TypeScript in 2.7s ...")) == ["`npm run build` passed"]


def test_a_result_in_json_is_read() -> None:
    output = '{"output": "3 passed in 1 s\\n", "metadata": {"exit_code": 0}}'
    assert told(did("bash", {"command": "pytest"}, output)) == ["`pytest`: 3 passed in 1 s"]


def test_an_empty_run_of_tests_in_documents_does_not_stand_for_the_others() -> None:
    output = "test result: ok. 72 passed; 0 failed; 0 ignored\n\n   Doc-tests x\n\ntest result: ok. 0 passed; 0 failed; 0 ignored"
    assert told(ran("cargo test", output)) == ["`cargo test`: test result: ok. 72 passed; 0 failed; 0 ignored"]


def test_results_of_several_programs_are_not_told_by_the_last() -> None:
    output = "test result: ok. 72 passed; 0 failed\n\ntest result: ok. 8 passed; 0 failed"
    assert told(ran("cargo test", output)) == ["`cargo test` passed"]
    assert told(did("bash", {"command": "cargo test"}, output)) == []


def test_a_count_of_warnings_is_no_result() -> None:
    assert told(did("bash", {"command": "pytest -q a.py"}, "12 warnings in 0.00s")) == []


def test_a_check_in_several_directories_is_told_with_its_directory() -> None:
    web, api = ran("cd /app/web && npm run build", "Done"), ran("cd /app/api && npm run build", "Done")
    assert told(web) == ["`cd /app/web && npm run build`: Done"]
    assert told(web, api, ran("npm run build", "Done")) == []
    assert told(web, ran("npm run build", "Done")) == ["`npm run build`: Done"]


def test_the_filter_of_an_output_makes_no_other_check() -> None:
    runs = (ran("node run.js 2>&1 | tail -5", "7 passing"), ran("node run.js 2>&1 | tail -15", "8 passing"))
    assert told(*runs) == ["`node run.js 2>&1 | tail -15`: 8 passing"]


def test_a_commit_whose_subject_a_terminal_broke_is_not_quoted() -> None:
    line = f"[main 9f2c1ab] Fix the entrypoint {'x' * 40}, update REPO"
    assert told(ran("git commit -m x", f"{line}\nRT.md\n 2 files changed, 46 insertions(+)")) == []
    assert told(ran("git commit -m x", f"{line}\n 2 files changed, 46 insertions(+)")) == [f"Committed {line}"]


def test_the_last_of_several_results_is_not_that_of_the_whole_command() -> None:
    parts = [f'docker exec app php artisan test --filter="{name}" 2>&1 | grep "Tests:"' for name in ("a", "b")]
    assert told(ran(" && ".join(parts), "Tests: 1 passed (2 assertions)\nTests: 1 passed (3 assertions)")) == []
    filtered = "npm test | sed -n 1p | sed -n 1p"
    assert told(ran(filtered, "3 passed")) == [f"`{filtered}`: 3 passed"]
    assert told(ran("npm run lint && npm test", "3 passed")) == ["`npm run lint && npm test`: 3 passed"]


def test_a_command_whose_last_part_does_not_fit_is_not_told() -> None:
    setup = " ".join(f"--option-{number}=value" for number in range(20))
    assert told(ran(f"make build {setup} && pytest -q", "3 passed")) == []
    [run] = told(ran(f"pytest -q {setup}", "3 passed"))
    assert run.startswith("`pytest -q --option-0")
    assert run.endswith("`: 3 passed")
