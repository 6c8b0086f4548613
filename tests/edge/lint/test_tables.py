from ctxkit.core.lint.costs import Cost, Costs
from ctxkit.core.lint.document.finding import LineRange
from ctxkit.edge.lint.tables import budget_lines, duplication_lines
from tests.edge.lint.findings import COPY, STALE


def test_the_table_names_three_sources_and_the_waste() -> None:
    many = COPY._replace(related=(*COPY.related, LineRange("B.md", 1, 1), LineRange("C.md", 2, 2)), tokens=30)
    lines = list(duplication_lines([COPY, STALE, many]))
    assert lines[0] == "| Concept | Source 1 | Source 2 | Source 3 | Waste |"
    assert lines[2] == '| "Run \\| the tests" | AGENTS.md L7-8 | B.md L1 | C.md L2 +1 | 30 tokens, exact dup |'
    assert lines[3] == '| "Run \\| the tests" | AGENTS.md L7-8 | MEMORY.md L3 | — | 11 tokens, exact dup |'
    assert len(lines) == 4


def test_the_budget_gives_files_their_sum_and_load_sets() -> None:
    costs = Costs((Cost("A.md", 1200, 900),), (Cost("Codex", 1200, 900, ("A.md",), False),))
    text = "\n".join(budget_lines(costs, counter_name="estimate"))
    assert "| A.md | 1,200 tok | 900 tok |" in text
    assert "| **Total** | 1,200 tok | 900 tok |" in text
    assert "| **Savings** | | 300 tok (25%) |" in text
    assert "| Codex (at times) | 1,200 tok | 900 tok | 300 tok |" in text
