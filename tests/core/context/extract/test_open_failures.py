import pytest

from ctxkit.core.context.extract.classified_call import classify_calls
from ctxkit.core.context.extract.open_failures import (
    RECENT_CALLS,
    RECENT_CHECKS,
    find_open_failures,
)
from ctxkit.core.context.extract.tool_call import find_tool_calls
from tests.core.context.talk import did, ran, records_of, user

LATER = [ran(f"./step {number}.sh", "done") for number in range(RECENT_CALLS)]


def find_attempts(*talk):
    turns = [turn for part in talk for turn in part]
    calls = classify_calls(find_tool_calls(records_of([user("x"), *turns])))
    return [failed_call.attempt for failed_call in find_open_failures(calls)]


def test_a_slip_is_settled_after_some_calls_and_open_before() -> None:
    slip = ran("curl -s host > NUL", "error: invalid name", 1)
    assert find_attempts(slip, *LATER) == []
    assert find_attempts(slip, *LATER[1:]) == ["curl -s host > NUL"]


def test_a_file_that_a_later_command_names_elsewhere_is_no_open_failure() -> None:
    missing = ran("bash ~/old/export.sh .", "bash: /home/me/old/export.sh: No such file or directory", 127)
    assert find_attempts(missing, did("bash", {"command": "bash ~/new/export.sh ."}, None)) == []
    assert find_attempts(missing, did("bash", {"command": "bash ~/new/other.sh ."}, None)) == ["bash ~/old/export.sh ."]


@pytest.mark.parametrize(
    "line",
    [
        "-bash: rsync: command not found",
        "(eval):5: command not found: rsync",
        "'rsync' is not recognized as an internal or external command",
        "+ CategoryInfo : ObjectNotFound: (rsync:String) [], CommandNotFoundException",
    ],
)
def test_a_missing_program_stays_until_it_runs_or_is_installed(line) -> None:
    failure = ran("rsync -a a b", line, 127)
    assert find_attempts(failure, *LATER) == ["rsync -a a b"]
    assert find_attempts(failure, ran("sudo apt-get install -y rsync", "done"), *LATER) == []
    assert find_attempts(failure, ran("cd x && rsync -a c d", "done"), *LATER) == []
    assert find_attempts(failure, ran("which rsync || cp -r a b", "done"), *LATER) == ["rsync -a a b"]


@pytest.mark.parametrize(
    "command", ["pip install py-yaml==6", "pip install -r requirements.txt", "python -c 'import py_yaml'"]
)
def test_a_missing_module_stays_until_it_is_installed_or_imported(command) -> None:
    failure = ran("pytest -q", "ModuleNotFoundError: No module named 'py_yaml'", 1)
    assert find_attempts(failure, *LATER) == ["pytest -q"]
    assert find_attempts(failure, ran(command, "done"), *LATER) == []


def test_a_missing_module_of_a_script_is_settled_after_some_calls() -> None:
    failure = ran("python job.py", "ModuleNotFoundError: No module named 'py_yaml'", 1)
    assert find_attempts(failure, *LATER) == []
    assert find_attempts(failure, *LATER[1:]) == ["python job.py"]


def test_a_check_long_ago_is_settled() -> None:
    many = [ran(f"./step {number}.sh", "done") for number in range(RECENT_CHECKS)]
    assert find_attempts(ran("npm test", "error: a failed", 1), *many[1:]) == ["npm test"]
    assert find_attempts(ran("npm test", "error: a failed", 1), *many) == []


def test_what_the_environment_forbids_stays() -> None:
    failure = did("web_fetch", {"url": "https://a.b"}, "Error: url_not_allowed")
    assert find_attempts(failure, *LATER) == ["web_fetch https://a.b"]


def test_a_check_that_never_passes_stays_in_its_last_run() -> None:
    failures = [ran("npm test a", "error: a failed", 1), ran("npm test b", "error: b failed", 1)]
    assert find_attempts(*failures, *LATER) == ["npm test b"]
    assert find_attempts(*failures, ran("npm test", "done"), *LATER) == []
    assert find_attempts(*failures, ran("npm run build", "done"), *LATER) == ["npm test b"]


def test_the_time_grows_with_the_calls_alone() -> None:
    talk = [ran(f"tool{number} x", f"tool{number}: command not found", 127) for number in range(300)]
    assert len(find_attempts(*talk)) == 300


def test_a_command_that_was_denied_is_settled_after_some_calls_and_a_tool_is_not() -> None:
    assert find_attempts(ran("./run.sh", "bash: ./run.sh: Permission denied", 126), *LATER) == []
    assert find_attempts(did("web_fetch", {"url": "https://a.b"}, "Error: 403 Forbidden"), *LATER) == ["web_fetch https://a.b"]


def test_a_failed_check_before_a_commit_is_settled() -> None:
    check = ran("npm run build", "error TS2305: no member", 2)
    assert find_attempts(check, *LATER) == ["npm run build"]
    assert find_attempts(check, *LATER, ran("git add -A && git commit -m x", "[main 9f2c1ab] x")) == []


def test_a_command_that_ran_later_with_permission_is_settled_though_it_found_nothing() -> None:
    command = "git ls-remote --heads origin | rg -n scaffold$"
    blocked = ran(command, "ssh: Could not resolve hostname github.com: Temporary failure in name resolution", 1)
    assert find_attempts(blocked, *LATER) == [command]
    assert find_attempts(blocked, ran(command, "", 1), *LATER) == []
    assert find_attempts(blocked, ran("git branch | rg -n scaffold$", "", 1), *LATER) == [command]


def test_a_file_that_should_be_removed_and_is_not_there_is_settled() -> None:
    assert find_attempts(ran("rm a.md", "rm: cannot remove 'a.md': No such file or directory", 1)) == []
    assert find_attempts(ran("rm a.md", "rm: cannot remove 'a.md': Permission denied", 1)) == ["rm a.md"]


def test_a_program_that_apt_installed_despite_its_notice_is_there() -> None:
    notice = "Get:1 gh\n" * 12 + "Setting up gh (2.79.0) ...\n\ndpkg-preconfigure: unable to re-open stdin: No such file or directory"
    missing = ran("gh --version", "/bin/bash: gh: command not found", 127)
    assert find_attempts(missing, did("bash", {"command": "sudo apt install gh -y"}, notice)) == []


def test_a_failure_is_settled_once_all_that_ran_in_it_succeeded() -> None:
    failed = ran("cd app && but commit docs -m 'all of it' -p up", "Error: Invalid file ID(s): up", 1)
    assert find_attempts(failed, ran("but status", "a.md")) == ["cd app && but commit docs -m 'all of it' -p up"]
    assert find_attempts(failed, ran("but commit docs -m 'all of it' -p upw", "Created commit")) == []
    assert find_attempts(ran("npm run zip && npm run send", "send: no host", 1), ran("npm run zip", "ok")) != []


def test_a_check_is_not_settled_by_a_check_of_other_files() -> None:
    failed = ran("python -m pytest tests/test_a.py", "FAILED tests/test_a.py::test_x - assert 1 == 2", 1)
    assert find_attempts(failed, ran("python -m pytest tests/test_b.py && ls", "1 passed")) == ["python -m pytest tests/test_a.py"]


def test_a_script_that_is_not_found_is_a_slip_that_later_calls_settle() -> None:
    slip = ran("camera.bat", "+ CategoryInfo : ObjectNotFound: (camera.bat:String) [], CommandNotFoundException", 1)
    assert find_attempts(slip, *LATER) == []
    assert find_attempts(slip, *LATER[1:]) == ["camera.bat"]


def test_a_log_that_its_own_command_looks_for_elsewhere_is_no_open_failure() -> None:
    command = "cd api && nohup ./run.sh > server.log 2>&1 & sleep 2 && cat server.log"
    assert find_attempts(ran(command, "cat: server.log: No such file or directory", 1)) == []
    assert find_attempts(ran("cat server.log", "cat: server.log: No such file or directory", 1)) == ["cat server.log"]


@pytest.mark.parametrize(
    ("failure", "later"),
    [
        (("python --version", "bash: line 1: python: command not found"), ("python3 run.py", "ok")),
        (("docker-compose up", "docker-compose: command not found"), ("docker compose up -d", "ok")),
        (("pip install x", "pip: command not found"), ("python3 -m pip install x", "ok")),
        (("gradle build", "gradle: command not found"), ("./gradlew build", "ok")),
        (("npm test", "npm : File C:\\n\\npm.ps1 cannot be loaded"), ("npm.cmd run start", "ok")),
        (("npm run test", "sh: 1: vitest: not found"), ("./run_tests.sh", "> app@1.0.0 test\n> vitest --run\n\n5 passed")),
        (("tsc -b", "tsc: command not found"), ("node_modules/.bin/tsc -b", "ok")),
    ],
)
def test_a_missing_program_is_settled_by_its_like(failure, later) -> None:
    command, line = failure
    missing, success = ran(command, line, 127), ran(*later)
    assert find_attempts(missing, success, *LATER) == []
    assert find_attempts(missing, *LATER) == ([] if "--version" in command else [command])


def test_a_program_that_an_agent_only_asks_for_is_settled_after_some_calls() -> None:
    probe = ran("which mvn && mvn -version | head -3", "mvn not found", 1)
    assert find_attempts(probe, *LATER) == []
    assert find_attempts(probe, *LATER[1:]) == ["which mvn && mvn -version | head -3"]


def test_a_command_that_the_shell_cannot_read_is_settled_by_any_success() -> None:
    for line in ("bash: syntax error near unexpected token `('", "ParserError: Unexpected token 'b' in expression."):
        slip = ran("pytest -q $(x", line, 2)
        assert find_attempts(slip, ran("ls", "a")) == []
        assert find_attempts(slip, ran("make", "error: no rule", 2)) == ["pytest -q $(x", "make"]


def test_a_file_that_was_written_again_and_used_settles_its_failure() -> None:
    slip = ran("cp notes.md /mnt/a/notes.md", "cp: disk full", 1)
    write = did("write", {"path": "/mnt/a/notes.md", "content": "x"})
    assert find_attempts(slip, write, ran("wc -l /mnt/a/notes.md", "3")) == []
    assert find_attempts(slip, write) == ["cp notes.md /mnt/a/notes.md"]
    assert find_attempts(slip, ran("wc -l /mnt/a/notes.md", "0"), write) == ["cp notes.md /mnt/a/notes.md"]
    check = ran("pytest -q tests/test_a.py", "FAILED tests/test_a.py::test_x - assert 1 == 2", 1)
    edit = did("edit", {"path": "tests/test_a.py", "old_str": "a", "new_str": "b"})
    assert find_attempts(check, edit, ran("cat tests/test_a.py", "b")) == ["pytest -q tests/test_a.py"]


def test_a_network_that_a_later_command_reached_is_there() -> None:
    blocked = ran("npm view left-pad", "npm error getaddrinfo ENOTFOUND registry.npmjs.org", 1)
    for command in ("pip install x", "git push origin main", "curl -s https://a.b"):
        assert find_attempts(blocked, ran(command, "ok"), *LATER) == []
    assert find_attempts(blocked, ran("curl -s http://localhost:80", "ok"), *LATER) == ["npm view left-pad"]


def test_what_a_tool_was_not_allowed_long_ago_is_settled() -> None:
    many = [ran(f"./step {number}.sh", "done") for number in range(RECENT_CHECKS)]
    blocked = did("web_fetch", {"url": "https://a.b"}, "Error: 403 Forbidden")
    assert find_attempts(blocked, *many) == []
    assert find_attempts(blocked, *many[1:]) == ["web_fetch https://a.b"]


def test_a_package_that_another_manager_installed_later_is_there() -> None:
    failure = ran("brew install yt-dlp", "(eval):1: command not found: brew", 127)
    assert find_attempts(failure, ran("pip3 install yt-dlp", "done"), *LATER) == []
    assert find_attempts(failure, ran("pip3 install other", "done"), *LATER) == ["brew install yt-dlp"]


def test_a_test_run_settles_the_build_that_it_includes() -> None:
    failure = ran("dotnet build a.csproj", "Build FAILED.\n    error CS1002: ; expected", 1)
    assert find_attempts(failure, ran("dotnet test", "Passed!"), *LATER) == []
    assert find_attempts(failure, ran("dotnet restore", "done"), *LATER) == ["dotnet build a.csproj"]


def test_a_tool_that_the_host_does_not_have_is_no_open_failure() -> None:
    assert find_attempts(did("questionnaire", {"goal": "a"}, "Error: Tool questionnaire not found")) == []
    assert find_attempts(did("questionnaire", {"goal": "a"}, "Error: no questions given")) == ["questionnaire"]
