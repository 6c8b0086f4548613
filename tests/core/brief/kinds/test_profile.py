import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.kinds import profile as kind
from ctxkit.core.brief.kinds.profile import CostColumn, CostReader, measure_rows, read_amount
from tests.example_counts import count_examples

IMPORTS = "import time: self [us] | cumulative | imported package\n" + "".join(
    f"import time: {at * 37 % 101:9} | {at * 61 % 997:10} | {'  ' * (at % 3)}mod{at}\n" for at in range(60)
)
PERF = (
    "# Samples: 22K of event 'cpu'\n# Event count (approx.): 573\n#\n# Children      Self  Command  Shared Object  Symbol\n"
    + "".join(
        f"     {30 - at}.83%     {at}.25%  prog  libc.so  [.] f{at}\n            |\n            ---f{at}\n\n" for at in range(20)
    )
)


def test_the_costliest_rows_come_first_by_each_column(trial) -> None:
    text = trial(kind).map(IMPORTS)
    assert "- Lines 2-61: 60 rows with self time and cumulative time" in text
    assert "## Costliest by cumulative time\n- 51: import time:        96 |        995 |   mod49" in text
    assert "## Costliest by self time" in text


def test_a_row_is_listed_by_the_column_in_which_it_ranks_best(trial) -> None:
    rows = [f"import time: {900 if at == 3 else 1:9} | {1000 - at:10} | mod{at}\n" for at in range(60)]
    text = trial(kind).map("".join(rows), target=300)
    assert "## Costliest by self time\n- 4: import time:       900 |        997 | mod3" in text


def test_the_profilers_own_summary_is_quoted(trial) -> None:
    text = trial(kind).map(PERF, target=500)
    assert "- 1: # Samples: 22K of event 'cpu'" in text
    assert "## Costliest by own share\n- 81: 11.83%     19.25%  prog  libc.so  [.] f19" in text


@pytest.mark.parametrize(
    "line",
    [
        "/usr/lib/x.py:{}: size={} KiB, count=3, average=17.0 KiB\n",
        "->9{}.80% ({},856B) 0x48FC503: ??? (in /usr/lib/x.so)\n",
        "      0.{}0s  5.00%  5.00%      {}.10s 50.00%  main.work\n",
        " phase opt and gen{}        :   0.{} ( 20%)   0.01 ( 5%)\n",
    ],
)
def test_other_profilers_are_known(trial, line: str) -> None:
    text = trial(kind).map("".join(line.format(at, at + 10) for at in range(9)))
    assert "9 rows with" in text


@pytest.mark.parametrize("text", ["a 5.00% b\n" * 30, "   1  2  3\n" * 30, "size=5 KiB\n" * 30, "x.py:1: message\n" * 30])
def test_other_content_is_left_alone(trial, text: str) -> None:
    assert trial(kind).known(text) != "profile"


@given(st.lists(st.sampled_from(["# note", "  5.00%  x y", "", "free", "->99.00% (1B) x", "import time: 3 | 4 | é", "\x00"])))
@settings(max_examples=count_examples(50), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_breaks_it(trial, rows: list[str]) -> None:
    trial(kind).check("\n".join([IMPORTS, *rows]), 300)


@pytest.mark.parametrize(
    ("text", "amount"), [("1,024", 1_024), ("2 KiB", 2_048), ("1.5ms", 0.0015), ("12.5", 12.5), ("words", 0)]
)
def test_a_cost_has_a_unit(text: str, amount: float) -> None:
    assert read_amount(text) == amount


def test_the_costliest_rows_are_kept_in_order() -> None:
    column = CostColumn("time")
    for number in range(1, 200):
        column.add(number % 90, number, f"row {number}")
    assert column.list_costliest()[:3] == [(89, "row 89"), (179, "row 179"), (88, "row 88")]


def test_rows_and_what_stands_between_them_are_told() -> None:
    lines = ["# Samples: 2", "import time: 1 | 2 | a", "    |--tree", "free text"]
    assert measure_rows(lines) == (1, 0.75)
    reader = CostReader()
    reader.add_lines(enumerate([*lines, "# Samples: 3"], 1))
    assert reader.summaries == [(1, "# Samples: 2")]
    assert reader.other_count == 1
