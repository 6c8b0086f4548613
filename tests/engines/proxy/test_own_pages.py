import pytest

from ctxkit.engines.proxy.own_pages import find_own_page


@pytest.mark.parametrize(("path", "name"), [("/health", "health"), ("/metrics", "metrics"), ("/ref/0123", "ref"), ("/v1/health", ""), ("/healthy", ""), ("/refs", "")])
def test_only_the_paths_of_the_proxy_are_its_own(path: str, name: str) -> None:
    assert find_own_page(path) == name
