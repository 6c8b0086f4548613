"""The table of hosts is complete."""

import re

from ctxkit.core.lint.loading.hosts import HOSTS


def sources():
    for host in HOSTS:
        yield from (files.source for files in host.files)
        yield from (limit.source for limit in host.limits)
        yield from filter(None, (host.hops_source,))


def test_each_fact_has_an_address_and_a_day() -> None:
    for source in sources():
        assert source.url.startswith("https://")
        assert re.fullmatch(r"2026-\d\d(?:-\d\d)?", source.read)


def test_names_and_settings_are_unique() -> None:
    settings = [limit.setting for host in HOSTS for limit in host.limits]
    assert len({*settings}) == len(settings)
    assert len({host.name for host in HOSTS}) == len(HOSTS)


def test_a_host_that_follows_imports_says_where_that_stands() -> None:
    assert all(bool(host.hops) == bool(host.hops_source) for host in HOSTS)


def test_files_that_are_never_looked_for_have_no_row() -> None:
    assert all(files.paths or files.extra for host in HOSTS for files in host.files)
