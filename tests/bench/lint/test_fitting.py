import pytest

pytest.importorskip("bench.lint", reason="the benches are in the repository alone")

from bench.lint.fitting import Example, describe_curves, fit, predict, predict_by_others, solve


def test_equations_are_solved() -> None:
    assert solve([[4.0, 1.0], [1.0, 3.0]], [1.0, 2.0]) == pytest.approx([1 / 11, 7 / 11])


def test_the_property_that_decides_weighs_most() -> None:
    examples = [Example(f"r{n % 5}", (float(n % 2), float(n % 3)), n % 2 == 1) for n in range(120)]
    intercept, deciding, other = fit(examples)
    assert deciding > 1
    assert abs(other) < 0.2
    assert intercept < 0
    assert predict((intercept, deciding, other), examples[1]) > 0.7
    assert predict((intercept, deciding, other), examples[0]) < 0.3


def test_the_fit_is_where_the_loss_has_no_slope() -> None:
    examples = [Example("r", (float(n % 7),), n % 3 == 0) for n in range(60)]
    weights = fit(examples)
    assert sum(predict(weights, example) - example.is_duplicate for example in examples) == pytest.approx(0, abs=1e-6)


def test_each_repository_is_measured_by_the_others() -> None:
    examples = [Example(f"r{n % 5}", (float(n % 2),), n % 2 == 1) for n in range(120)]
    assert next(describe_curves(predict_by_others(examples))) == "dev from 0.5: precision 60/60, recall 60/60"


def test_sets_are_measured_apart() -> None:
    predictions = [("dev", 0.9, True), ("test", 0.95, False), ("test", 0.55, True), ("test", 0.1, True)]
    lines = list(describe_curves(predictions))
    assert lines[0] == "dev from 0.5: precision 1/1, recall 1/1"
    assert "test from 0.5: precision 1/2, recall 1/2" in lines
    assert lines[-1] == "test from 0.9: precision 0/1, recall 0/2"
