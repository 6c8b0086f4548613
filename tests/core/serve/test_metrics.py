"""Metrics are read back by Prometheus' own parser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import Metric as ParsedMetric
from prometheus_client.parser import text_string_to_metric_families

from ctxkit.core.serve.metrics import (
    BUCKETS,
    Metric,
    RequestMetrics,
    RequestRecord,
    Sample,
    format_metrics,
    format_record,
)


def parse(metrics: list[Metric]) -> dict[str, ParsedMetric]:
    return {family.name: family for family in text_string_to_metric_families(format_metrics(metrics))}


def test_requests_are_counted_by_command_and_status() -> None:
    requests = RequestMetrics()
    for status in (200, 200, 404):
        requests.add(RequestRecord("gate", status, 0.01, 1, 1))
    requests.add(RequestRecord("count", 200, 0.01, 1, 1))
    family = parse(requests.list_metrics())["ctxkit_requests"]
    counts = {(sample.labels["command"], sample.labels["status"]): sample.value for sample in family.samples}
    assert family.type == "counter"
    assert counts == {("gate", "200"): 2, ("gate", "404"): 1, ("count", "200"): 1}


@given(st.lists(st.floats(0, 200, allow_nan=False), max_size=30))
def test_a_bucket_has_the_durations_up_to_its_limit(durations: list[float]) -> None:
    requests = RequestMetrics()
    for seconds in durations:
        requests.add(RequestRecord("gate", 200, seconds, 1, 1))
    family = parse(requests.list_metrics())["ctxkit_request_duration_seconds"]
    values = {sample.labels.get("le", sample.name): sample.value for sample in family.samples}
    assert family.type == "histogram"
    if durations:
        buckets = {limit: sum(seconds <= limit for seconds in durations) for limit in (*BUCKETS, float("inf"))}
        assert {float(name): value for name, value in values.items() if "ctxkit" not in name} == buckets
        assert values["ctxkit_request_duration_seconds_count"] == len(durations)
        assert values["ctxkit_request_duration_seconds_sum"] == pytest.approx(sum(durations))


@given(st.text(max_size=20), st.floats(allow_nan=False))
def test_any_label_and_value_comes_back(label: str, value: float) -> None:
    metrics = [Metric("a_total", "counter", "Help.", [Sample(value, {"name": label, "more": "x"}), Sample(1)])]
    samples = parse(metrics)["a"].samples
    assert [(sample.labels, sample.value) for sample in samples] == [({"name": label, "more": "x"}, value), ({}, 1)]


def test_a_request_is_one_line() -> None:
    line = format_record(RequestRecord("cache/get", 404, 0.00123, 0, 61), "2030-01-02T03:04:05.678Z")
    assert line == "2030-01-02T03:04:05.678Z cache/get 404 1.2 ms, 0 bytes in, 61 bytes out"
