from ctxkit.core.chat.model.message import Record
from ctxkit.core.summary.last_result import keep_last_result


def ask(calls):
    return keep_last_result(lambda records: calls.append(len(records)) or len(records))


def test_the_same_tuple_is_read_once() -> None:
    calls, records = [], (Record(0, 0, 1, {}),)
    function = ask(calls)
    assert [function(records), function(records)] == [1, 1]
    assert calls == [1]


def test_an_equal_tuple_and_a_list_are_read_again() -> None:
    calls, record = [], Record(0, 0, 1, {})
    function = ask(calls)
    many = [record]
    first, second = tuple(many), tuple(many)
    assert function(first) == function(second) == function(many) == 1
    many.append(record)
    assert function(many) == 2
    assert calls == [1, 1, 1, 2]
