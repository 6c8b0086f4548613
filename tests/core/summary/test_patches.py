from ctxkit.core.summary.patches import parse_patch
from ctxkit.core.summary.shell import FileEffects

CODEX = """\
*** Begin Patch
*** Update File: src/a.py
@@
-x
+y
*** Add File: src/new.py
+z
*** Delete File: src/old.py
*** Update File: src/from.py
*** Move to: src/to.py
@@
-q
*** End Patch"""
DIFF = "diff --git a/x.c b/x.c\n--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b\n--- a/gone.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"


def test_apply_patch() -> None:
    assert parse_patch(CODEX) == FileEffects(("src/a.py", "src/new.py"), ("src/old.py",), (("src/from.py", "src/to.py"),))


def test_diff() -> None:
    assert parse_patch(DIFF) == FileEffects(("x.c",), ("gone.c",))


def test_other_text() -> None:
    assert parse_patch("just words\n--- a rule\nmore") == FileEffects()
