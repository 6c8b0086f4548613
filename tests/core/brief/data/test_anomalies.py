from ctxkit.core.brief.data.anomalies import find_anomalies, find_outlying_numbers
from ctxkit.core.brief.data.columns import NumberColumn
from ctxkit.core.brief.data.shape import DataShape


def found(values):
    shape = DataShape(True)
    shape.add(values, range(1, len(values) + 1))
    return [(odd.node.path, odd.row, odd.text) for odd in find_anomalies(shape)]


def numbers(values):
    column = NumberColumn(1)
    column.add(values, range(1, len(values) + 1))
    return [(value, row) for value, row, _ in find_outlying_numbers(column)]


def test_too_few_rows_have_no_oddities() -> None:
    assert found([{"a": 1}, {"a": "x"}, {"b": 2}]) == []


def test_keys_of_the_same_rows_are_told_together() -> None:
    rows = [{"a": 1} for _ in range(50)]
    rows[7] = {"a": 1, "x": 1, "y": 2}
    assert found(rows) == [("", 8, "has 2 keys present in 1 of 50: x, y")]


def test_keys_that_are_data_are_not_odd() -> None:
    assert found([{"headers": {f"h{i}": 1, "same": 1}} for i in range(60)]) == []


def test_the_type_that_most_have_is_not_odd() -> None:
    rows = [{"a": "x"}] * 30 + [{"a": 1}]
    assert found(rows) == [(".a", 31, "is a number in 1 of 31; a string in 30")]


def test_types_that_are_both_common_are_not_odd() -> None:
    assert found([{"a": "x"}, {"a": None}] * 20) == []


def test_numbers_far_from_the_middle_half_are_outside() -> None:
    assert numbers([*range(100), 100_000]) == [(100_000, 101)]
    assert numbers([5] * 50 + [-5_000, 5]) == [(-5_000, 51)]


def test_numbers_that_grow_evenly_are_not_outside() -> None:
    assert numbers(list(range(1_000))) == []
    assert numbers([1, 2] * 50) == []


def test_integers_too_large_for_floats_are_no_trouble() -> None:
    assert numbers([0.5] * 30 + [10**5_000]) in ([], [(10**5_000, 31)])
    assert numbers([10**5_000] * 15 + [0.5] * 15) == []


def test_a_type_is_odd_only_where_another_one_is_usual() -> None:
    rows = [{"a": (1, "x", [2])[at % 3]} for at in range(60)]
    rows[9]["a"] = True
    assert found(rows) == []


def test_an_id_that_comes_again_is_odd() -> None:
    rows = [{"id": at} for at in range(40)]
    rows[20]["id"] = 3
    assert found(rows) == [(".id", 21, "is 3 a second time")]


def test_a_value_is_rare_only_where_the_others_come_often() -> None:
    several = [{"a": f"text {at // 3}"} for at in range(30)] + [{"a": "text x"}]
    assert found(several) == []
    states = [{"a": ("on", "off")[at % 2]} for at in range(30)] + [{"a": "hung"}]
    assert found(states) == [(".a", 31, 'is "hung" in 1 of 31')]


def test_one_of_ten_differs_but_not_one_of_nine() -> None:
    rows = [{"state": "on"}] * 8 + [{"state": "off"}]
    assert found(rows) == []
    assert found([{"state": "on"}, *rows]) == [(".state", 10, 'is "off" in 1 of 10')]


def test_a_rare_value_that_names_an_error_comes_first() -> None:
    rows = [{"level": "info", "mode": "x"} | ({"age": number} if number == 5 else {}) for number in range(400)]
    rows[50]["mode"], rows[200]["level"] = "y", "critical"
    assert found(rows)[0][2] == 'is "critical" in 1 of 400'


def test_the_only_negative_number_is_odd() -> None:
    quantities = [at % 17 for at in range(400)]
    quantities[137] = -5
    assert numbers(quantities) == [(-5, 138)]
    assert numbers([at % 17 - 8 for at in range(400)]) == []
