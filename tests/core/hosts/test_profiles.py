import json
import re

import pytest

from ctxkit.core.hosts.host import EventKind, Programs
from ctxkit.core.hosts.profiles import MODULES, PROFILES, load_host


@pytest.mark.parametrize("name", PROFILES)
def test_a_map_is_smaller_than_the_output_that_it_replaces(name: str) -> None:
    profile = PROFILES[name]
    assert 0 < profile.map_limit <= profile.output_limit < profile.window


@pytest.mark.parametrize("name", MODULES)
def test_a_host_has_what_each_command_needs(name: str) -> None:
    host = load_host(name)
    assert host.name == name
    assert name in PROFILES
    assert set(host.settings) >= {"user"}
    scripts = host.make_scripts("/d", Programs("/bin/ctxkit", "/bin/python"))
    assert all(re.fullmatch(r"/d/[\w.]+", path) for path in scripts)
    assert all(f'"ctxkit init {name} --remove"' in text for text in scripts.values())


@pytest.mark.parametrize("name", MODULES)
def test_what_is_installed_is_known_and_goes_again(name: str) -> None:
    host = load_host(name)
    text = host.install("", "/d")
    assert host.is_installed(text, "/d")
    assert not host.is_installed(text, "/e")
    assert host.install(text, "/d") == text
    removed = host.remove(text, "/d")
    assert removed is None or json.loads(removed) == {}
    assert host.remove(text, "/e") == text


@pytest.mark.parametrize("name", MODULES)
def test_an_unknown_event_is_none(name: str) -> None:
    read = load_host(name).read_event
    for value in ({}, {"hook_event_name": 5}, {"hook_event_name": "Stop", "session_id": "a"}, {"toolName": []}):
        assert read(value) is None
    assert EventKind("command") is EventKind.COMMAND
