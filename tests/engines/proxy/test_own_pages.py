import pytest
from prometheus_client.parser import text_string_to_metric_families

from ctxkit.core.serve.metrics import format_metrics
from ctxkit.engines.proxy.own_pages import STEPS, ProxyMetrics, find_own_page


@pytest.mark.parametrize(("path", "name"), [("/health", "health"), ("/metrics", "metrics"), ("/ref/0123", "ref"), ("/v1/health", ""), ("/healthy", ""), ("/refs", "")])
def test_only_the_paths_of_the_proxy_are_its_own(path: str, name: str) -> None:
    assert find_own_page(path) == name


class NoPool:
    """A pool without processes."""

    process_ids: list[int] = []  # noqa: RUF012 - nobody changes it


def test_each_step_counts_requests() -> None:
    metrics = ProxyMetrics(NoPool(), "1.2.3")
    metrics.add_rewrite({"gated": 3, "steps": ["compact"], "error": None})
    metrics.add_rewrite({"gated": 0, "steps": [], "error": {"error": "x"}})
    metrics.tokens["input"] += 10
    families = {family.name: family for family in text_string_to_metric_families(format_metrics(metrics.list_metrics()))}
    steps = {sample.labels["step"]: sample.value for sample in families["ctxkit_proxy_steps"].samples}
    assert steps == {**dict.fromkeys(STEPS, 0), "gated": 1, "compacted": 1, "refused": 1}
    tokens = {sample.labels["kind"]: sample.value for sample in families["ctxkit_proxy_tokens"].samples}
    assert tokens == {"input": 10, "output": 0}
    assert families["ctxkit_build_info"].samples[0].labels == {"version": "1.2.3"}
