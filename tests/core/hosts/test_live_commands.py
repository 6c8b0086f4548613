import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.hosts.live_commands import is_live

LIVE = [
    "npm run dev",
    "npm run dev:web -- --port 3000",
    "cd web && pnpm start",
    "npx vite",
    "python manage.py runserver 8000",
    "python -m http.server",
    "flask run --reload",
    "bin/rails server",
    "next dev",
    "cargo watch -x test",
    "jest --watch",
    "tsc --watch=true",
    "tail -f log/production.log",
    "tail -n20 -F x",
    "journalctl -fu nginx",
    "kubectl logs -f pod/x",
    "docker compose logs -f web",
    "docker compose up",
    "sleep 100 &",
    "server > log 2>&1 & echo $!",
    "nohup make",
    "git rebase -i; vim x",
    "less README.md",
    "watch -n1 date",
    "sudo top",
]
PLAIN = [
    "",
    "npm test",
    "npm run build",
    "npm install dev",
    "make && echo done",
    "cat a 2>&1 | tail -20",
    "tail -n 5 f",
    "ls -f",
    "kubectl apply -f x.yaml",
    "docker compose -f dev.yml ps",
    "docker compose up -d",
    "grep -rn 'watch' src",
    "echo 'a & b'",
    "git log --follow-tags",
    "cargo test",
    "python script.py",
    "python -m pytest -q",
    "cmd >&2",
]


@pytest.mark.parametrize("script", LIVE)
def test_output_of_a_live_command_must_not_wait(script: str) -> None:
    assert is_live(script)


@pytest.mark.parametrize("script", PLAIN)
def test_output_of_another_command_may_wait(script: str) -> None:
    assert not is_live(script)


@given(st.text(alphabet="ab -f&|;'\"$()\n", max_size=30))
def test_any_script_is_judged(script: str) -> None:
    assert is_live(script) in (True, False)
