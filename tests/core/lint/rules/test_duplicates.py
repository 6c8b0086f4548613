import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.lint.check import add_fingerprints
from ctxkit.core.lint.document.rule import INFO, WARNING
from ctxkit.core.lint.rules.duplicates import RULES, findings
from tests.core.lint.places import workspace
from tests.example_counts import count_examples

RULE = "- Assumptions are forbidden: look it up instead.\n"
LONG = (
    "- Assumptions about the paths of files, about names and about versions are forbidden in this project and in all "
    "others: look each of them up in the source, ask where the source says nothing, write down what you were told, and "
    "name the place where it stands, so that nobody has to look for it a second time or to believe you.\n"
)
OTHER = "- Cats sleep in the warm sun all day.\n"


def found(files, **more):
    made = workspace(files, **more)
    return sorted(findings(made), key=lambda one: (one.path, one.line, one.code))


def codes(files, **more):
    return [(one.code, one.path, one.line) for one in found(files, **more)]


def applied(files, finding):
    texts = dict(files)
    for edit in sorted(finding.fix.edits, key=lambda one: -one.start):
        texts[edit.path] = texts[edit.path][: edit.start] + edit.replacement + texts[edit.path][edit.end :]
    return texts


def test_a_copy_in_one_file() -> None:
    files = {"AGENTS.md": f"{RULE}{OTHER}* **Assumptions** are forbidden: look it up instead\n"}
    (one,) = found(files)
    assert (one.code, one.severity, one.line, str(one.related[0])) == ("DUP001", WARNING, 3, "AGENTS.md L1")
    assert one.wasted[0][1] == 8
    assert one.fix.safe
    assert applied(files, one) == {"AGENTS.md": RULE + OTHER}


def test_a_copy_that_some_window_has_alone_is_not_removed_safely() -> None:
    files = {"AGENTS.md": OTHER + LONG, ".cursorrules": "- Dogs bark at the moon.\n" + LONG}
    (one,) = found({**files, "CLAUDE.md": "- Dogs bark.\n" + LONG}, links={})
    assert one.fix is None or not one.fix.safe


def test_a_copy_that_no_agent_loads_with_the_other_wastes_nothing() -> None:
    assert codes({"a/AGENTS.md": RULE, "b/AGENTS.md": RULE}) == []
    assert codes({".windsurfrules": RULE, ".roorules": RULE}) == []


def test_a_link_is_no_copy() -> None:
    assert codes({"AGENTS.md": RULE + OTHER}, links={"CLAUDE.md": "AGENTS.md"}) == []
    assert codes({"AGENTS.md": RULE + OTHER, "CLAUDE.md": "AGENTS.md"}) == []


def test_an_import_is_no_copy() -> None:
    assert codes({"AGENTS.md": RULE + OTHER, "CLAUDE.md": "@AGENTS.md\n"}) == []


def test_three_places_are_one_finding() -> None:
    files = {"AGENTS.md": RULE + OTHER, "SOUL.md": "- Be kind.\n" + RULE, "MEMORY.md": "- A fact.\n" + RULE}
    (one,) = found(files)
    assert (one.code, one.path, [place.path for place in one.related]) == ("DUP004", "SOUL.md", ["AGENTS.md", "MEMORY.md"])
    assert one.tokens == 16


def test_a_near_copy_has_its_likeness_and_no_safe_fix() -> None:
    files = {"AGENTS.md": "- Assumptions are strictly forbidden here: look it up instead.\n", "SOUL.md": RULE}
    (one,) = found(files)
    assert (one.code, one.path, one.severity) == ("DUP003", "SOUL.md", WARNING)
    assert 0.7 <= one.score < 1
    assert not one.fix.safe


def test_two_skills_may_say_the_same_even_if_one_tool_loads_both() -> None:
    skill = f"---\nname: a\ndescription: A\n---\n\n{RULE}{OTHER}- Dogs bark at the moon all night.\n"
    files = {"GEMINI.md": "@./skills/a/SKILL.md\n@./skills/b/SKILL.md\n", "skills/a/SKILL.md": skill, "skills/b/SKILL.md": f"{skill}- B is alone.\n"}
    assert codes(files) == []
    assert codes({**files, "skills/a/SKILL.md": f"{skill}\n{RULE}"}) == [("DUP001", "skills/a/SKILL.md", 10)]


def test_rules_say_in_detail_what_instructions_sum_up_and_rubrics_ask_for_it() -> None:
    near = "- Assumptions are strictly forbidden here: look it up instead.\n"
    assert codes({"CLAUDE.md": near, ".claude/rules/a.md": RULE}) == []
    assert codes({"AGENTS.md": near, "web/AGENTS.md": RULE}) == []
    assert codes({"CLAUDE.md": near, "SOUL.md": f"# Scoring\n\n{RULE}", "AGENTS.md": "@CLAUDE.md\n"}) == []


def test_what_says_more_than_the_statement_that_stays_is_not_removed() -> None:
    said = "- Assumptions about old files, paths and names are forbidden in this workspace: look"
    (one,) = found({"AGENTS.md": f"{said} it up.\n", "SOUL.md": f"{said} it up twice, aloud.\n"})
    assert (one.code, one.path, one.fix) == ("DUP003", "SOUL.md", None)


SECTION = "- Build with `make all` every time.\n- Listen on port 8080 in development.\n- Run `make test` before a push.\n"


def test_statements_in_a_row_are_one_finding() -> None:
    files = {"AGENTS.md": f"# A\n\n{SECTION}\n## B\n\n{OTHER}", "CLAUDE.md": f"# X\n\n- Dogs bark at the moon.\n\n{SECTION}"}
    (one,) = found(files)
    assert (one.code, one.path, one.line, one.end_line) == ("DUP005", "CLAUDE.md", 5, 7)
    assert str(one.related[0]) == "AGENTS.md L3-5"


def test_a_copy_that_has_drifted_names_the_lines() -> None:
    files = {"AGENTS.md": SECTION, "CLAUDE.md": SECTION.replace("8080", "9090")}
    (one,) = found(files)
    assert (one.code, one.severity, one.fix) == ("DUP006", WARNING, None)
    assert "lines 2/2" in one.message


def test_files_for_different_agents_are_kept_alike_by_hand() -> None:
    text = "".join(f"- Rule {name} says to {name} the thing well.\n" for name in ("bake", "cook", "stir", "chop", "boil"))
    (one,) = found({".windsurfrules": text, ".roorules": text})
    assert (one.code, one.severity, one.tokens) == ("DUP005", INFO, 0)
    (one,) = found({".windsurfrules": text, ".roorules": text.replace("Rule boil says", "The last rule is")})
    assert (one.code, one.severity) == ("DUP006", INFO)


def test_a_third_place_beside_a_stretch_is_told_apart() -> None:
    files = {"AGENTS.md": SECTION + LONG, "CLAUDE.md": SECTION + LONG, ".cursor/rules/x.mdc": f"---\nalwaysApply: true\n---\n{OTHER}{LONG}"}
    assert codes(files) == [("DUP002", ".cursor/rules/x.mdc", 5), ("DUP005", "CLAUDE.md", 1)]
    skill = {"CLAUDE.md": SECTION, ".claude/skills/x/SKILL.md": "- Run `make test` before a push.\n"}
    assert codes(skill) == []  # a skill is used without the instructions, too


def test_what_the_prompt_says_already() -> None:
    prompt = "You are a bot.\n\n- Be concise, use tools, never fabricate.\n\n# SOUL.md\n" + RULE + OTHER + SECTION
    files = {"SOUL.md": RULE + OTHER + SECTION, "AGENTS.md": "- Be concise, use tools, never fabricate.\n- Wash your hands often.\n"}
    (one,) = found(files, prompt=prompt)
    assert (one.code, one.path, str(one.related[0])) == ("DUP002", "AGENTS.md", "prompt.txt L3")


@pytest.mark.parametrize(
    "text",
    [
        "- Build with `make all` every time:\n  - and this\n- Build with `make all` every time:\n  - and that\n",
        "1. Open the settings of the app.\n2. Build it anew from scratch.\n\nx\n\n1. Open the settings of the app.\n2. Wait a bit.\n",
        f"Never:\n\n- Push to the main branch on Fridays.\n- Eat lunch at your desk alone.\n\nAlso:\n\n- Push to the main branch on Fridays.\n{OTHER}",
    ],
)
def test_what_hangs_together_is_not_removed_safely(text: str) -> None:
    assert not any(one.fix and one.fix.safe for one in found({"AGENTS.md": text}))


def test_every_rule_tells_what_it_is() -> None:
    assert [rule.code for rule in RULES] == [*(f"DUP00{number}" for number in (1, 2, 3, 4, 5, 6, 7, 9)), "CON001"]
    for rule in RULES:
        assert all((rule.summary, rule.rationale, rule.bad, rule.good, rule.evidence))


LINES = [RULE, OTHER, *SECTION.splitlines(keepends=True), "- Be kind to everyone you meet.\n", "\n", "## Part\n"]


@given(st.lists(st.sampled_from(LINES), max_size=14), st.lists(st.sampled_from(LINES), max_size=14))
@settings(deadline=None, max_examples=count_examples(60))
def test_a_safe_fix_loses_no_statement(one, two) -> None:
    files = {"AGENTS.md": "".join(one), "CLAUDE.md": "".join(two)}
    made = workspace(files)
    for finding in findings(made):
        if finding.fix and finding.fix.safe:
            after = workspace(applied(files, finding))
            for load_set in made.load_sets:
                said = {unit.normal for path in load_set.paths for unit in made.document(path).units}
                left = {unit.normal for path in load_set.paths for unit in after.document(path).units}
                assert said == left


@given(st.permutations(LINES), st.permutations(LINES))
@settings(deadline=None, max_examples=count_examples(20))
def test_the_same_files_give_the_same_findings(one, two) -> None:
    files = {"AGENTS.md": "".join(one), "CLAUDE.md": "".join(two)}
    assert found(files) == found(dict(reversed(files.items())))
    made = workspace(files)
    prints = [finding.fingerprint for finding in add_fingerprints(made, found(files))]
    assert len(set(prints)) == len(prints)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Use black to format the code before a commit", "Use ruff to format the code before a commit"),
        ("Use pytest to check the code, because manual checks miss things",
         "Use tox to check the code, because manual checks miss things"),
    ],
)  # fmt: skip
def test_another_tool_for_the_same_work_is_no_duplicate(one: str, two: str) -> None:
    told = codes({"AGENTS.md": f"# A\n\n- {one}.\n\n# B\n\n- {two}.\n"})
    assert not [code for code, *_ in told if code.startswith("DUP")]


WORDS = ["cache", "store", "parser", "window", "ledger", "index"]
MIRRORED = "".join(f"- Rule about the {word} in this project stands here.\n" for word in WORDS)


def test_mirrored_files_are_one_finding_and_their_lines_have_no_fix():
    files = {"AGENTS.md": f"{MIRRORED}{OTHER}", ".cursorrules": MIRRORED, "CLAUDE.md": MIRRORED}
    assert codes(files) == [("DUP006", ".cursorrules", 1), ("DUP006", "CLAUDE.md", 1)]
    first = MIRRORED.splitlines(keepends=True)[0]
    (one,) = [one for one in found(files | {"AGENTS.md": f"{MIRRORED}{OTHER}{first}"}) if one.code == "DUP001"]
    assert one.fix is None


def test_a_copy_inside_of_a_mirrored_file_is_reported_once():
    text = f"{MIRRORED}\n## More\n\nOther words here.\n\n{MIRRORED.splitlines()[2]}\n"
    found_codes = codes({"CLAUDE.md": text, "AGENTS.md": text})
    assert sorted(code for code, *_ in found_codes) == ["DUP001", "DUP005"]


def test_mirrored_files_have_no_near_copies_of_their_own():
    files = {"AGENTS.md": f"{MIRRORED}- Verify every claim before you report it.\n", "CLAUDE.md": f"{MIRRORED}- Verify every claim before reporting it.\n"}
    assert codes(files) == [("DUP006", "CLAUDE.md", 1)]


def test_the_copy_in_the_file_that_is_always_loaded_stays() -> None:
    files = {
        ".cursor/rules/a.mdc": f"---\nglobs: src/**\nalwaysApply: false\n---\n\n{OTHER}{LONG}",
        ".cursor/rules/b.mdc": f"---\nalwaysApply: true\n---\n\n- Birds fly to the south in autumn.\n{LONG}",
        "src/a.py": "x",
    }
    (one,) = found(files)
    assert (one.path, one.related[0].path) == (".cursor/rules/a.mdc", ".cursor/rules/b.mdc")


def test_a_number_of_a_list_is_not_removed() -> None:
    steps = f"1. Look at the list of the birds.\n2. {RULE[2:]}3. Write the list of the birds anew.\n"
    assert all(one.fix is None for one in found({"AGENTS.md": RULE + OTHER, "SOUL.md": steps}))


def test_stubs_that_point_to_the_instructions_may_say_the_same() -> None:
    stub = "Follow `AGENTS.md` in the root.\n\n- Format Python with black at 88 columns.\n- Never write a TODO into code.\n"
    stub += "- Run the checks before you finish.\n- Ask before you add a dependency.\n"
    assert codes({".github/copilot-instructions.md": stub, ".cursorrules": f"{stub}\n", "CLAUDE.md": stub}) == []
    longer = stub.replace("`AGENTS.md`", "the rules")
    assert codes({".github/copilot-instructions.md": longer, ".cursorrules": longer}) != []



def test_a_short_statement_of_two_files_is_left_alone_outside_of_a_persona() -> None:
    rules = {"AGENTS.md": f"{OTHER}{RULE}", ".cursor/rules/a.mdc": f"---\nalwaysApply: true\n---\n- Be kind.\n{RULE}"}
    assert codes(rules) == []
    assert codes({path: text.replace(RULE, LONG) for path, text in rules.items()}) == [("DUP002", ".cursor/rules/a.mdc", 5)]
    assert codes({"AGENTS.md": f"{OTHER}{RULE}", "SOUL.md": f"- Be kind.\n{RULE}"}) == [("DUP002", "SOUL.md", 2)]


def test_copies_of_several_kinds_of_two_files_are_one_finding() -> None:
    near = "- Every module has one owner, who reads each change to it within two days and answers in the request.\n"
    said = near.replace("who reads each change to it", "who reads all changes to it")
    files = {"AGENTS.md": f"# A\n\n{LONG}\n## B\n\n{near}", "CLAUDE.md": f"# X\n\n{OTHER}{LONG}\n## Y\n\n{said}- Dogs bark.\n- Cats purr.\n"}
    (one,) = found(files)
    assert (one.code, one.path, one.line) == ("DUP002", "CLAUDE.md", 4)
    assert one.message == "2 parts are also in AGENTS.md, some in other words (lines 4/3, 8/7)"


def test_many_copies_of_two_files_are_one_finding() -> None:
    rules = [f"- Rule {name}: the {name} of a module is documented before the {name} is changed.\n" for name in "abcde"]
    kept = "".join(f"{rule}- A fact about {at} that stands alone.\n- Here is more on {at}.\n" for at, rule in enumerate(rules))
    copy = "".join(f"{rule}- Another remark on {at}, of its own.\n- See also {at}, please.\n" for at, rule in enumerate(rules))
    (one,) = found({"AGENTS.md": kept, "CLAUDE.md": copy})
    assert (one.code, one.path, one.line) == ("DUP002", "CLAUDE.md", 1)
    assert one.message == "5 parts are also in AGENTS.md (lines 1/1, 4/4, 7/7 and 2 more)"
    assert one.tokens == 75


def test_a_passage_about_another_subject_has_not_drifted() -> None:
    text = "- Read the rules of the parent first.\n- Select the right {} child before you edit its files.\n- Update the index when the routes change.\n"
    assert codes({"AGENTS.md": text.format("package"), "a/AGENTS.md": text.format("infra")}) == []
    assert codes({"AGENTS.md": text.format("`package`"), "a/AGENTS.md": text.format("`infra`")}) == [("DUP006", "a/AGENTS.md", 1)]


@pytest.mark.parametrize("indent", ["", "  "])
def test_a_list_below_the_line_that_it_details_belongs_to_that_line(indent: str) -> None:
    said = "    - Returns the error of the server if there is no match\n"
    text = f"# Index\n\n{indent}Method: find(name) [line 66]\n    - Looks for the name\n{said}\n{indent}Method: take(key) [line 82]\n    - Takes the key\n{said}"
    assert codes({"AGENTS.md": text}) == []
    assert codes({"AGENTS.md": f"# Index\n\n{OTHER}{RULE}\nBe kind.\n\n{RULE}"}) == [("DUP001", "AGENTS.md", 8)]
