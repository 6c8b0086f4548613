from ctxkit.core.session.ledger import Session
from ctxkit.engines.ledger import SQLiteLedger
from ctxkit.engines.session_directories import SessionDirectories


def test_sessions_are_known_by_their_directory_and_those_above_it(tmp_path):
    directories = SessionDirectories(str(tmp_path), print)
    assert directories.sessions_in("/w") == set()
    for session, path in (("a", "/w"), ("b", "/w/src"), ("c", "/w2"), ("a", "/w/docs")):
        directories.record(session, path)
    assert directories.sessions_in("/w") == {"a", "b"}
    assert directories.sessions_in("/w/src") == {"b"}
    directories.close()


def test_a_removed_session_leaves_its_directory(tmp_path):
    ledger, directories = SQLiteLedger(str(tmp_path), print), SessionDirectories(str(tmp_path), print)
    assert ledger.add(Session("a", 8000, 0))
    directories.record("a", "/w\udcff")
    assert directories.sessions_in("/w\udcff") == {"a"}
    assert ledger.remove("a")
    assert directories.sessions_in("/w\udcff") == set()
