from ctxkit.core.context.extract.classified_call import classify_calls
from ctxkit.core.context.extract.runs import MAX_RUNS, find_run_items
from ctxkit.core.context.extract.tool_call import find_tool_calls
from tests.core.context.talk import did, ran, records_of, user


def told(*talk):
    return [item.forms[0] for item in find_run_items(classify_calls(find_tool_calls(records_of([user("x"), *(turn for part in talk for turn in part)]))))]


def test_checks_that_passed_the_newest_first() -> None:
    assert told(
        ran("pytest -q", "3 passed in 0.1s"),
        ran("ls -la", "a\nb"),
        ran("make", "x\n" * 50),
        ran("git commit -m y", "[main 9f2c1ab] y\n 1 file changed"),
        ran("cargo test", "error: x", 1),
        ran("pytest -q", "4 passed in 0.2s"),
    ) == ["`pytest -q`: 4 passed in 0.2s", "Committed [main 9f2c1ab] y", "`make` passed"]


def test_a_command_whose_status_nobody_tells_is_told_by_what_it_printed() -> None:
    assert told(did("bash", {"command": "python a.py"}, "345\n")) == ["`python a.py`: 345"]
    assert told(did("bash", {"command": "python a.py"}, "x\n" * 500)) == []
    assert told(did("bash", {"command": "pytest"}, None)) == []


def test_only_so_many() -> None:
    assert len(told(*(ran(f"make t{n}", "ok") for n in range(MAX_RUNS + 5)))) == MAX_RUNS


def test_a_run_over_packages_is_not_told_by_one_of_them() -> None:
    assert told(ran("go test ./...", "ok  pkg/121\t0.1s\nok  pkg/122\t0.2s")) == ["`go test ./...` passed"]
    assert told(did("bash", {"command": "go test ./..."}, "ok  \tpkg/121\t0.1s\nok  \tpkg/122\t0.2s\n")) == ["`go test ./...` passed"]


def test_the_echo_of_a_script_is_no_result() -> None:
    assert told(ran("npm run lint", "> eslint src --ext .ts")) == ["`npm run lint` passed"]
    assert told(ran("make build &&", "Successfully built")) == ["`make build`: Successfully built"]


def test_the_result_of_a_build_is_no_announcement() -> None:
    output = "transforming (1) src/a.tsxFound 1 warning while optimizing generated CSS:\nbody\n✓ built in 7.01s"
    assert told(ran("npm run build", output)) == ["`npm run build`: ✓ built in 7.01s"]


def test_a_later_script_on_the_same_file_overrules_an_earlier_one() -> None:
    state = [ran("python check.py /x/state.json", "FRESH"), ran("python write.py /x/state.json done", "SUCCESS")]
    assert told(*state) == ["`python write.py /x/state.json done`: SUCCESS"]
    assert len(told(ran("python check.py a.json", "FRESH"), ran("python write.py b.json", "SUCCESS"))) == 2
    assert len(told(ran("python first.py", "1"), ran("python second.py", "2"))) == 2


def test_the_last_argument_of_a_long_command_is_told() -> None:
    command = f"python write.py /{'x' * 150}/state.json preview"
    assert told(ran(command, "SUCCESS")) == [f"`{command}`: SUCCESS"]
