from ctxkit.core.proxy.upstream_window import UpstreamFacts
from ctxkit.engines.proxy.policy import RequestPlan


def test_a_plan_begins_without_facts_and_without_a_report() -> None:
    plan = RequestPlan(None, "/", "GET", "http://h/", ())
    assert (plan.facts, plan.report) == (UpstreamFacts(), {})
    assert plan._replace(report={"model": "m"}).report != plan.report
