import pytest
from prometheus_client.parser import text_string_to_metric_families

from ctxkit.core.serve import format_metrics
from ctxkit.engines.proxy.own_pages import STEPS, ProxyMetrics, Sender, check_sender, drop_token, find_own_page
from ctxkit.engines.server.request import RequestError


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


TOKEN = "a-token-of-24-characters"


@pytest.mark.parametrize("host", ["127.0.0.1:8900", "localhost", "LOCALHOST:1", "[::1]:8900", "[::1]"])
def test_this_machine_may_ask(host: str) -> None:
    assert check_sender(Sender({"host": host}, "/v1/x"), "") == "/v1/x"


@pytest.mark.parametrize("headers", [{}, {"host": "evil.example"}, {"host": "127.0.0.1.evil.example:80"}, {"host": "localhost", "origin": "null"}])
def test_other_names_and_pages_are_refused(headers: dict[str, str]) -> None:
    with pytest.raises(RequestError) as refused:
        check_sender(Sender(headers, "/v1/x"), "")
    assert refused.value.status == 403


def test_the_token_is_in_a_header_or_in_the_path() -> None:
    assert check_sender(Sender({"x-ctxkit-token": TOKEN}, "/v1/x"), TOKEN) == "/v1/x"
    assert check_sender(Sender({}, f"/token/{TOKEN}/v1/x"), TOKEN) == "/v1/x"
    assert check_sender(Sender({"host": "localhost"}, "/token/any/v1/x"), "") == "/v1/x"


@pytest.mark.parametrize("sender", [Sender({"host": "localhost"}, "/x"), Sender({"x-ctxkit-token": "x"}, "/x"), Sender({}, "/token/x/y"), Sender({"authorization": f"Bearer {TOKEN}"}, "/x")])
def test_nothing_else_replaces_the_token(sender: Sender) -> None:
    with pytest.raises(RequestError) as refused:
        check_sender(sender, TOKEN)
    assert refused.value.status == 401


def test_a_path_without_a_token_stays() -> None:
    assert drop_token("/v1/token/x") == "/v1/token/x"
    assert drop_token("/token/abc") == ""
