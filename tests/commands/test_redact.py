"""--redact: secrets neither enter nor are stored; never_store: nothing of a command's output is."""

import json
import os
import re
from pathlib import Path

import pytest

from tests.conftest import Run

KEY = "ghp_Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0SsUuAaE"
MASK = "[redacted: github token]"
PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEAzx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0SsUuAaEe\n" * 5 + "-----END RSA PRIVATE KEY-----\n"
SIZED = ("--window", "2000", "--tokenizer", "bytes/3")
WIDE = ("--window", "100000", "--tokenizer", "bytes/3")
SMALL = f"before\nexport TOKEN={KEY}\n{PEM}after\n"
LARGE = f"key {KEY} at the top\n" + "".join(f"row {n} of the report\n" for n in range(3000)) + f"at the end {KEY}\n"


def stored(home: dict[str, str]) -> bytes:
    """Every byte that ctxkit keeps in this home."""
    kept = [path for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME") for path in Path(home[name]).rglob("*") if path.is_file()]
    return b"".join(path.read_bytes() for path in kept)


def test_content_is_what_it_is_unless_somebody_asks(run: Run) -> None:
    assert run("gate", *WIDE, stdin=SMALL).out.decode() == SMALL


def test_gate_masks_what_passes_and_says_how_much(run: Run, home: dict[str, str]) -> None:
    done = run("gate", *WIDE, "--redact", "-v", stdin=SMALL)
    assert done.out.decode() == f"before\nexport TOKEN={MASK}\n[redacted: private key]\n\n\n\n\n\n\nafter\n"
    assert "redacted 2: 1 GitHub token, 1 private key" in done.err
    answer = json.loads(run("gate", *WIDE, "--redact", "--json", stdin=SMALL).out)
    assert answer["redacted"] == 2
    assert answer["original"]["lines"] == SMALL.count("\n")
    assert "redacted" not in json.loads(run("gate", *WIDE, "--json", stdin=SMALL).out)


@pytest.mark.slow
def test_what_does_not_fit_is_stored_and_mapped_without_its_secrets(run: Run, home: dict[str, str], tmp_path: Path) -> None:
    log = tmp_path / "events"
    (tmp_path / "a.log").write_text(LARGE)
    done = run("gate", *SIZED, "--redact", "--events", str(log), "a.log", cwd=tmp_path)
    assert KEY.encode() not in done.out + stored(home)
    ref = re.search(r"cache get (\w+)", done.out.decode())[1]
    assert run("cache", "get", ref).out.decode() == LARGE.replace(KEY, MASK)
    assert json.loads(log.read_text())["redacted"] == 2
    assert run("gate", *SIZED, "--redact", stdin=LARGE.replace(KEY, MASK)).out.decode().endswith(done.out.decode().splitlines()[-1] + "\n")


@pytest.mark.slow
def test_run_masks_the_output_and_keeps_the_status(run: Run, home: dict[str, str]) -> None:
    done = run("run", *SIZED, "--redact", "--json", "--", "sh", "-c", f"echo k={KEY}; seq 5000; echo {KEY}; exit 3")
    assert done.status == 3
    answer = json.loads(done.out)
    assert (answer["redacted"], answer["result"]) == (2, "briefing")
    assert KEY not in answer["content"].split("\n", 1)[1].split("sh -c")[0]
    assert KEY.encode() not in stored(home)


def test_put_stores_what_is_masked(run: Run, home: dict[str, str]) -> None:
    done = run("cache", "put", "--redact", "--json", stdin=SMALL)
    assert json.loads(done.out)["redacted"] == 2
    plain = run("cache", "put", stdin=run("cache", "get", json.loads(done.out)["ref"]).out)
    assert plain.out.decode().strip() == json.loads(done.out)["ref"]
    assert KEY.encode() not in stored(home)


def test_pages_of_stored_content_are_masked_and_lead_on_so(run: Run) -> None:
    ref = run("cache", "put", stdin=LARGE).out.decode().strip()
    assert KEY in run("cache", "get", ref, "--gate", *SIZED).out.decode()
    page = run("cache", "get", ref, "--gate", "--redact", *SIZED).out.decode()
    assert page.startswith(f"key {MASK} at the top\nrow 0 ")
    assert "--gate --redact --window" in page
    last = run("cache", "get", ref, "--gate", "--redact", "--lines", "3002:", *SIZED).out.decode()
    assert last == f"at the end {MASK}\n"
    inside = run("cache", "put", stdin=SMALL).out.decode().strip()
    assert run("cache", "get", inside, "--gate", "--redact", "--lines", "4:6", *SIZED).out == b"\n\n\n"
    wrong = run("cache", "get", ref, "--redact")
    assert (wrong.status, wrong.out) == (2, b"")


@pytest.mark.slow
def test_a_map_of_a_file_leads_to_the_file_unless_something_is_masked(run: Run, home: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "plain.log").write_text(LARGE.replace(KEY, "none"))
    (tmp_path / "a.log").write_text(LARGE)
    plain = run("brief", "plain.log", "--redact", "--target", "200", "--tokenizer", "bytes/3", cwd=tmp_path)
    assert b"p' plain.log" in plain.out
    assert stored(home) == b""
    done = run("brief", "a.log", "--redact", "--json", "--target", "200", "--tokenizer", "bytes/3", cwd=tmp_path)
    answer = json.loads(done.out)
    assert (answer["redacted"], "p' a.log" in answer["content"]) == (2, False)
    assert run("cache", "get", answer["ref"]).out.decode() == LARGE.replace(KEY, MASK)
    assert KEY.encode() not in done.out + stored(home)


def chat(rows: int) -> bytes:
    text = f'config: {{"token": "{KEY}", "url": "https://ana:Zx8Kq2Lm9Rt4@db/x"}}\n{PEM}' + "word " * rows
    return json.dumps([{"role": "user", "content": text}, {"role": "assistant", "content": "Done."}] * 6, indent=1).encode()


@pytest.mark.parametrize("rows", [1, 2000])
def test_a_conversation_is_masked_before_it_is_compacted_and_stays_valid(run: Run, home: dict[str, str], tmp_path: Path, rows: int) -> None:
    done = run("compact", "--window", "9000", "--tokenizer", "bytes/3", "--redact", "--json", "--manifest", "m.json", cwd=tmp_path, stdin=chat(rows))
    assert done.status == 0, done.err
    text = json.dumps(json.loads(done.out))
    assert json.loads(done.err.splitlines()[-1])["redacted"] == 18 if rows > 1 else MASK in text
    kept = stored(home) + b"".join(path.read_bytes() for path in tmp_path.glob("m.json"))
    for secret in (KEY, "Zx8Kq2Lm9Rt4", "MIIEpAIBAAK"):
        assert secret.encode() not in done.out + kept
    assert run("compact", "--check", stdin=done.out).status == 0


def test_the_users_setting_asks_for_all_of_it(run: Run, home: dict[str, str]) -> None:
    settings = Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("redact = true\n")
    assert MASK in run("gate", *WIDE, stdin=SMALL).out.decode()
    assert MASK in run("run", *WIDE, "--", "echo", KEY).out.decode()
    run("cache", "put", stdin=SMALL)
    assert KEY.encode() not in stored(home)
    assert KEY in run("gate", *WIDE, stdin=SMALL, env={"CTXKIT_REDACT": "false"}).out.decode()


@pytest.mark.slow
def test_lists_and_the_ledger_mask_the_values_of_key_like_options(run: Run, home: dict[str, str], tmp_path: Path) -> None:
    session = run("session", "new", "s", *SIZED)
    assert session.status == 0
    log = tmp_path / "events"
    script = ("sh", "-c", "seq 5000", "--password", "hunter22", "--token=hunter22", "API_KEY=hunter22")
    done = run("run", *SIZED, "--session", "s", "--events", str(log), "-v", "--", *script)
    assert b"hunter22" in done.out  # the title of the map: who reads it wrote the command
    assert "hunter22" not in done.err
    listed = run("cache", "list").out + run("cache", "list", "--json").out + run("session", "status", "s", "--json").out
    assert b"--password ***" in listed
    assert b"hunter22" not in listed + stored(home) + log.read_bytes()
    event = json.loads(log.read_text())
    assert (event["command"], event["name"]) == ("sh", "sh")


def test_events_hold_the_masked_line_only_if_that_is_asked_for(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "events"
    run("run", *WIDE, "--events", str(log), "--events-full", "--", "echo", "--token=hunter22", "a b")
    event = json.loads(log.read_text())
    assert (event["command"], event["name"]) == ("echo --token=*** 'a b'", "echo --token=*** 'a b'")


def test_the_report_names_a_summarizer_without_its_key(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "writer"
    script.write_text("#!/bin/sh\ncat > /dev/null\nprintf '# Context\\n\\n## Task\\n\\nRead words.\\n'\n")
    script.chmod(0o755)
    text = json.dumps([{"role": "user", "content": "many words " * 300}, {"role": "assistant", "content": "more words " * 900}] * 3)
    writer = f"cmd:{script} --api-key hunter22"
    done = run("compact", "--window", "6000", "--tokenizer", "bytes/3", "--force", "--json", "--summarizer", writer, stdin=text)
    assert json.loads(done.err.splitlines()[-1])["summarizer"] == f"cmd:{script} --api-key ***"
    assert "hunter22" not in done.err


@pytest.mark.parametrize("script", [["seq", "5000"], ["sh", "-c", "seq 5000; exit 3"], ["seq", "5"]])
def test_never_store_keeps_nothing_of_a_commands_output(run: Run, home: dict[str, str], script: list[str]) -> None:
    settings = Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('never_store = ["seq"]\n')
    run("session", "new", "s", *SIZED)
    done = run("run", *SIZED, "--session", "s", "-v", "--", *script)
    assert done.status == (3 if script[0] == "sh" else 0)
    assert done.out == b"".join(b"%d\n" % n for n in range(1, 6 if script[-1] == "5" else 5001))
    assert not list(Path(home["XDG_CACHE_HOME"]).rglob("blobs/*/*"))
    assert "its output passes and is not stored" in done.err
    used = json.loads(run("session", "status", "s", "--json").out)
    assert (used["items"], used["used"] > 0) == (1, True)
    assert os.path.isdir(home["XDG_CACHE_HOME"])


@pytest.mark.slow
def test_another_command_is_stored_as_ever(run: Run, home: dict[str, str]) -> None:
    env = {"CTXKIT_NEVER_STORE": "aws secretsmanager *\nseq 1 *"}
    run("run", *SIZED, "--", "seq", "5000", env=env)
    assert list(Path(home["XDG_CACHE_HOME"]).rglob("blobs/*/*"))


@pytest.mark.slow
def test_a_setting_that_is_no_list_is_refused(run: Run, home: dict[str, str]) -> None:
    settings = Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("never_store = 5\n")
    done = run("doctor")
    assert b"never_store = 5 is not a list of texts" in done.out
