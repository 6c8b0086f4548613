import pytest

from ctxkit.core.context.extract.classified_call import classify_calls
from ctxkit.core.context.extract.failures import find_failures
from ctxkit.core.context.extract.telling_part import find_telling_part
from ctxkit.core.context.extract.tool_call import find_tool_calls
from tests.core.context.talk import ran, records_of, user


def find_part(command, line, max_chars=200):
    calls = classify_calls(find_tool_calls(records_of([user("x"), *ran(command, line, 1)])))
    [failed_call] = find_failures(calls)
    return find_telling_part(failed_call, max_chars)


@pytest.mark.parametrize(
    ("command", "line", "part"),
    [
        ("B=$(ls -t a)\npython3 run.py $B", "(eval):5: command not found: python3.12", "python3 run.py $B"),
        ("git commit -m a && git push\ndu -sh out", "du: cannot access 'out'", "du -sh out"),
        ("A=1 ls b\npython3 -c '\nimport app'", "ModuleNotFoundError: No module named 'app'", "python3 -c"),
        ("make a; make b", "ValueError: wrong", "make a; make b"),
        ("ls a\npython run.py", "ValueError: wrong", "python run.py"),
        ("make all", "error: no rule", "make all"),
    ],
)
def test_the_part_of_the_program_that_the_line_names(command, line, part) -> None:
    assert find_part(command, line) == part


def test_a_part_beyond_the_shown_beginning_is_quoted() -> None:
    command = f"tar xf {'a' * 60}.tgz && rsync -a a b"
    assert find_part(command, "bash: rsync: command not found", 40) == "rsync -a a b"
    assert find_part(command, "bash: rsync: command not found") == command
