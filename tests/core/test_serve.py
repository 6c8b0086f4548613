"""Parameters of a request become arguments of a command, and none of them names a file, a program or a server."""

from importlib import import_module
from urllib.parse import quote, unquote, urlencode

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import Metric as ParsedMetric
from prometheus_client.parser import text_string_to_metric_families

from ctxkit.core.errors import STATUSES, Exit, UsageError
from ctxkit.core.serve import (
    BUCKETS,
    ENDPOINTS,
    MAX_MESSAGES,
    MESSAGES_HEADER,
    STATUS_HEADER,
    Caller,
    Metric,
    RequestMetrics,
    RequestRecord,
    Sample,
    describe_failure,
    find_endpoint,
    format_metrics,
    format_record,
    make_answer,
    make_arguments,
    read_caller,
)

PLACES = ("FILE", "F", "URL", "MANIFEST", "RECEIPTS", "S")
"""Metavars of options that name a file, a server or a program."""


def load_command(words: tuple[str, ...]) -> click.Command:
    command: click.Command | None = import_module(f"ctxkit.commands.{words[0]}").command
    for verb in words[1:]:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), verb)
    assert isinstance(command, click.Command)
    return command


def list_options(words: tuple[str, ...]) -> dict[str, click.Option]:
    params = load_command(words).params
    return {name.removeprefix("--"): option for option in params if isinstance(option, click.Option) for name in option.opts if name.startswith("--")}


@pytest.mark.parametrize("path", ENDPOINTS)
def test_each_parameter_is_an_option_of_its_command(path: str) -> None:
    endpoint = ENDPOINTS[path]
    options = list_options(endpoint.command)
    assert endpoint.values | endpoint.flags <= set(options)
    assert all(options[name].is_flag for name in endpoint.flags)
    assert not any(options[name].is_flag for name in endpoint.values)
    assert endpoint.has_json == ("json" in options and path != "compact")


@pytest.mark.parametrize("path", ENDPOINTS)
def test_no_parameter_names_a_file_a_server_or_a_program(path: str) -> None:
    options = list_options(ENDPOINTS[path].command)
    named = {name for name in ENDPOINTS[path].values if options[name].metavar in PLACES}
    assert named <= {"session"}
    assert not {"summarizer", "store", "events", "in-place"} & (ENDPOINTS[path].values | ENDPOINTS[path].flags)


def test_parameters_become_arguments() -> None:
    found = make_arguments(ENDPOINTS["gate"], [("model", "qwen3"), ("no-store", ""), ("strict", "false")], as_json=True)
    assert found == ["gate", "--json", "--model=qwen3", "--no-store"]
    assert make_arguments(ENDPOINTS["gate"], [], as_json=False) == ["gate"]
    assert make_arguments(ENDPOINTS["cache/get"], [("ref", "abcdef"), ("lines", "1:2")], as_json=True) == [
        *("cache", "get", "--lines=1:2", "--", "abcdef"),
    ]  # fmt: skip
    assert make_arguments(ENDPOINTS["session/status"], [("id", "-x")], as_json=True)[-2:] == ["--", "-x"]


@pytest.mark.parametrize("ref", ["", "/etc/passwd", "README.md", "abcde", "a" * 65, "abcdef\n", "ABCDEF"])
def test_a_ref_is_no_file(ref: str) -> None:
    with pytest.raises(UsageError, match="hexadecimal"):
        make_arguments(ENDPOINTS["cache/get"], [("ref", ref)], as_json=True)


def test_compact_extracts_whatever_the_settings_say() -> None:
    assert "--summarizer=extract" in make_arguments(ENDPOINTS["compact"], [], as_json=True)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("events", "/tmp/x", "unknown parameter 'events'"),
        ("store", "redis://x", "unknown parameter 'store'"),
        ("", "x", "unknown parameter ''"),
        ("strict", "perhaps", "is true or false"),
        ("tokenizer", "/etc/passwd", "is a name"),
        ("tokenizer", "tokenizer.json", "is a name"),
        ("tokenizer", "a/b.gguf", "is a name"),
        ("name", "a\0b", "contains a NUL"),
        ("name", "x" * 200_000, "is too long"),
    ],
)
def test_other_parameters_are_refused(name: str, value: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make_arguments(ENDPOINTS["gate"], [(name, value)], as_json=True)


def test_a_tokenizer_by_rate_is_a_name() -> None:
    assert make_arguments(ENDPOINTS["count"], [("tokenizer", "bytes/3.5")], as_json=True)[-1] == "--tokenizer=bytes/3.5"


@given(st.lists(st.tuples(st.sampled_from(["name", "focus", "hint", "model"]), st.text(max_size=20))))
def test_a_value_never_becomes_an_argument_of_its_own(parameters: list[tuple[str, str]]) -> None:
    parameters = [(name, value) for name, value in parameters if "\0" not in value]
    found = make_arguments(ENDPOINTS["gate"], parameters, as_json=True)
    assert found == ["gate", "--json", *(f"--{name}={value}" for name, value in parameters)]


def test_paths_of_endpoints() -> None:
    assert find_endpoint("/v1/gate") is ENDPOINTS["gate"]
    assert find_endpoint("/v1/cache/get") is ENDPOINTS["cache/get"]
    assert all(find_endpoint(path) is None for path in ("gate", "/v2/gate", "/v1/run", "/v1/shell", "/v1/init", "/v1/", "/"))


def test_a_former_name_of_a_parameter_is_taken() -> None:
    get, compact = ENDPOINTS["cache/get"], ENDPOINTS["compact"]
    for name in ("context", "context-lines"):
        assert make_arguments(get, [("ref", "abcdef"), (name, "2")], as_json=True)[2] == "--context-lines=2"
    with pytest.raises(UsageError, match="unknown parameter 'context'"):
        make_arguments(compact, [("context", "2")], as_json=True)


@pytest.mark.parametrize("status", list(STATUSES.values()))
def test_only_what_a_command_answers_is_200(status: Exit) -> None:
    answer = make_answer(ENDPOINTS["gate"], status, b"", has_output=True, as_json=True)
    assert (answer.status == 200) == (status in (Exit.DONE, Exit.NO))
    assert dict(answer.headers)[STATUS_HEADER] == str(int(status))


def test_what_is_not_stored_is_not_found() -> None:
    answer = make_answer(ENDPOINTS["cache/get"], Exit.NO, b"ctxkit: nothing\n", has_output=False, as_json=True)
    assert answer.status == 404
    assert unquote(dict(answer.headers)[MESSAGES_HEADER]) == "ctxkit: nothing\n"


@pytest.mark.parametrize(
    ("path", "has_output", "as_json", "kind"),
    [
        ("gate", True, True, "application/json"),
        ("gate", True, False, "application/octet-stream"),
        ("cache/get", True, True, "application/octet-stream"),
        ("cache/get", False, True, "application/json"),
    ],
)
def test_the_type_is_that_of_the_body(path: str, has_output: bool, as_json: bool, kind: str) -> None:
    answer = make_answer(ENDPOINTS[path], 0, b"", has_output=has_output, as_json=as_json)
    assert dict(answer.headers)["content-type"] == kind


def test_an_unknown_status_is_a_failure_of_ours() -> None:
    assert make_answer(ENDPOINTS["gate"], 99, b"", has_output=False, as_json=True).status == 500


def test_messages_are_one_header_whatever_they_contain() -> None:
    answer = make_answer(ENDPOINTS["gate"], 0, b"a\r\nb: c\n\xff" + b"x" * 9_000, has_output=True, as_json=True)
    value = dict(answer.headers)[MESSAGES_HEADER]
    assert value.isascii()
    assert not set("\r\n ") & set(value)
    assert unquote(value).startswith("a\r\nb: c\n")
    assert len(unquote(value, "latin-1")) == MAX_MESSAGES


def test_a_failure_has_its_status_and_its_messages() -> None:
    assert describe_failure(65, b"ctxkit: no\n  hint: yes\n") == {"status": 65, "messages": ["ctxkit: no", "  hint: yes"]}


OTHERS = (
    *("HOME", "TMPDIR", "TEMP", "TMP", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
    *("PYTHONPATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "SHELL", "EDITOR", "GIT_DIR", "OPENAI_API_KEY", "HTTPS_PROXY"),
)
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=30)


@given(TEXTS, st.dictionaries(st.sampled_from(["CTXKIT_MODEL", "CTXKIT_SESSION", "CTXKIT_HINT"]), TEXTS))
def test_what_a_client_encodes_is_read(name: str, variables: dict[str, str]) -> None:
    caller = read_caller(quote(f"/{name}"), urlencode(variables), is_local=True)
    assert caller == Caller(f"/{name}", tuple(variables.items()))


def test_a_path_that_is_not_utf8_is_kept() -> None:
    assert read_caller("/a%ff", "CTXKIT_MODEL=%ff", is_local=True) == Caller("/a\udcff", (("CTXKIT_MODEL", "\udcff"),))


def test_a_request_may_say_nothing() -> None:
    assert read_caller("", "", is_local=True) == read_caller("", "", is_local=False) == Caller()


@pytest.mark.parametrize(
    ("directory", "variables", "message"),
    [
        ("work", "", "not an absolute path"),
        ("/a%00b", "", "not an absolute path"),
        ("", "PATH=/tmp", "'PATH' is not a variable of ctxkit"),
        *(("", f"{name}=/x", f"'{name}' is not a variable of ctxkit") for name in OTHERS),
        ("", "CTXKIT_x=1", "is not a variable"),
        ("", "CTXKIT_MODEL=a%00", "contains a NUL"),
        ("", "CTXKIT_MODEL", "bad query field"),
        ("", "&".join(["CTXKIT_A=1"] * 201), "fields"),
        ("/" + "x" * 100_001, "", "at most"),
    ],
)
def test_anything_else_is_refused(directory: str, variables: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_caller(directory, variables, is_local=True)


@pytest.mark.parametrize(("directory", "variables"), [("/", ""), ("", "CTXKIT_MODEL=x")])
def test_a_caller_on_another_machine_has_no_place_here(directory: str, variables: str) -> None:
    with pytest.raises(UsageError, match="over the network"):
        read_caller(directory, variables, is_local=False)


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
