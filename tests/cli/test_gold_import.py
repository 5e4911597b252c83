from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import typer

from metajudge.cli import gold_import
from metajudge.gold import load_goldset
from tests.gold import spreadsheet
from tests.texts import words

PLAIN = """\
claim,context,label
Tea is hot.,Tea is served hot.,yes
茶是冷的。,茶是热的。,no
Tea is old.,Tea.,idk
"""


@pytest.fixture
def sheet():
    """The spreadsheet of a team, in the current folder."""
    return spreadsheet.write(Path("ratings.csv"))


@pytest.fixture
def plain():
    """A table under our own names, so that nothing is guessed."""
    Path("plain.csv").write_text(PLAIN, encoding="utf-8")
    return Path("plain.csv")


def files(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def test_a_dry_run_shows_everything_and_writes_nothing(run, sheet):
    ended = run("gold", "import", sheet, "--dry-run")
    shown = words(ended.stdout)
    assert ended.exit_code == 0
    for told in (
        "format table (a plain table): no other format fits",
        "claim Statement to check* 'statement' in its",
        "label:标注员丙 标注员丙 label words: 支持",
        "supported yes",
        "矛盾 no",
        "hmm (1), =d120 (1)",
        "194 claims with a label, 3 that wait for one; 67 answers, 67 contexts; ternary",
        "tied the annotators are tied 2",
        "missing_text the claim's text is missing 1",
        "ratings.csv:45: missing_text: Statement to check*: is '#REF!'",
        "ratings.csv:85: missing_context: Source passage (verbatim): is blank",
        "ratings.csv:204: unknown_label: Bo: 'hmm'",
        "first at ratings.csv:282",
        "licence: unknown",
        "--licence TEXT",
        "[yes] In a year",
        "dry run: nothing is written",
    ):
        assert told in shown, told
    assert all(len(line) <= 90 for line in ended.stdout.splitlines())
    assert list(Path().iterdir()) == [sheet]


def test_what_was_guessed_has_to_be_confirmed(run, sheet):
    ended = run("gold", "import", sheet, "--to", "gold/ratings")
    assert ended.exit_code == 2
    assert not Path("gold").exists()
    flags = ended.stderr.splitlines()[-1].strip()
    assert flags.startswith("--map 'claim=Statement to check*' --map 'context=Source passage")
    said = run("gold", "import", sheet, "--to", "gold/said", *shlex.split(flags))
    assert said.exit_code == 0, said.stderr
    assert "nothing guessed" in said.stdout
    assert run("gold", "import", sheet, "--to", "gold/yes", "--yes").exit_code == 0
    assert files("gold/said")["claims.jsonl"] == files("gold/yes")["claims.jsonl"]


def test_nothing_is_asked_where_nothing_is_guessed(run, plain):
    ended = run("gold", "import", plain, "--to", "tea", "--licence", "CC0-1.0", "--name", "leaves")
    assert ended.exit_code == 0, ended.stderr
    made = load_goldset("tea")
    assert (made.manifest.name, made.manifest.licence) == ("leaves", "CC0-1.0")
    assert made.manifest.imported is not None
    assert list(made.manifest.imported.sources) == ["plain.csv"]
    assert [claim.label for claim in made.claims] == ["yes", "no", "idk"]
    assert "metajudge gold check tea" in ended.stdout


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 2), ("\n", 2), ("", 4)])
def test_on_a_terminal_it_asks(run, plain, monkeypatch, answer, code):
    monkeypatch.setattr(gold_import, "_on_terminal", lambda: True)
    ended = run("gold", "import", plain, "--to", "tea", stdin=answer)
    assert ended.exit_code == code
    assert "Write this to tea?" in ended.stderr
    assert Path("tea").exists() == (code == 0)
    assert ("change these options" in ended.stderr) == (code == 2)
    assert ("nothing is written" in ended.stdout + ended.stderr) == (code != 0)
    assert "Write this" not in run("gold", "import", plain, "--to", "two", "--yes").stderr


def test_the_same_source_again_changes_no_byte(run, plain):
    run("gold", "import", plain, "--to", "tea")
    before = files("tea")
    for more in ([], ["--add"], ["--replace"]):
        ended = run("gold", "import", plain, "--to", "tea", *more)
        assert ended.exit_code == 0
        assert "has these claims already: nothing is written" in words(ended.stdout)
    assert files("tea") == before


def test_a_folder_with_another_set(run, run_json, plain):
    run("gold", "import", plain, "--to", "tea")
    Path("more.csv").write_text(
        PLAIN.replace("old.,Tea.,idk", "new.,Tea.,idk").replace("yes", "idk")
    )
    ended = run("gold", "import", "more.csv", "--to", "tea")
    assert ended.exit_code == 2
    assert "1 claim the same, 1 new, 1 with a difference" in words(ended.stderr)
    added = run("gold", "import", "more.csv", "--to", "tea", "--add")
    assert added.exit_code == 0
    assert "more.csv:2: c-" in added.stdout
    assert "label: 'yes' in the set, 'idk' in the source" in words(added.stdout)
    assert "1 claim was added to tea" in added.stdout
    assert len(load_goldset("tea").claims) == 4
    told = run_json("gold", "import", "more.csv", "--to", "tea", "--replace")
    assert (told["action"], told["gone"], len(told["conflicts"])) == ("replace", 1, 1)
    assert len(load_goldset("tea").claims) == 3


def test_a_public_format_needs_no_confirming(run, run_json):
    rows = [
        {"dataset": "d", "doc": "Tea is served hot.", "claim": "Tea is hot.", "label": 1},
        {"dataset": "d", "doc": "Tea is served hot.", "claim": "Tea is cold.", "label": 0},
        {"dataset": "d", "doc": " ", "claim": "Tea is old.", "label": 0},
    ]
    Path("facts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    ended = run("gold", "import", "facts.jsonl", "--to", "facts")
    assert ended.exit_code == 0, ended.stderr
    shown = words(ended.stdout)
    assert "llm-aggrefact (LLM-AggreFact): recognised by the fields dataset, doc" in shown
    assert "citation: Liyan Tang" in shown
    assert load_goldset("facts").manifest.label_space == "binary"
    told = run_json("gold", "import", "facts.jsonl", "--dry-run", "--label-space", "ternary")
    assert told["left_out"].keys() == {"missing_context", "not_ternary"}
    assert told["left_out"]["missing_context"]["first"][0]["line"] == 3
    assert (told["claims"], told["action"], told["written"]) == (1, None, [])
    named = run("gold", "import", "facts.jsonl", "--dry-run", "--from", "table")
    assert "a plain table" in named.stdout


def test_claims_that_wait_can_be_dropped_by_reason(run_json, sheet):
    told = run_json("gold", "import", sheet, "--dry-run", "--drop", "tied", "--drop", "unlabelled")
    assert told["waiting"] == {}
    assert told["left_out"]["tied"]["count"] == 2


def test_chinese_spreadsheets_in_gb18030(run, run_json):
    spreadsheet.write(Path("gb.csv"), "gb18030")
    ended = run("gold", "import", "gb.csv", "--to", "gb", "--yes")
    assert ended.exit_code == 2
    assert "Give --encoding gb18030." in words(ended.stderr)
    told = run_json("gold", "import", "gb.csv", "--to", "gb", "--yes", "--encoding", "gb18030")
    assert (told["claims"], told["action"]) == (194, "new")
    assert "标注员丙" in load_goldset("gb").manifest.annotators


def test_every_fault_of_the_options_is_told(run, plain):
    ended = run("gold", "import", plain)
    assert (ended.exit_code, "Add --to FOLDER" in words(ended.stderr)) == (2, True)
    both = run("gold", "import", plain, "--to", "x", "--add", "--replace")
    assert "either added to or replaced" in words(both.stderr)
    wrong = run("gold", "import", plain, "--to", "x", "--map", "claim", "--map", "=b")
    assert wrong.stderr.count("Write --map 'FIELD=COLUMN'.") == 2
    twice = run("gold", "import", plain, "--to", "x", "--map", "claim=a", "--map", "claim=b")
    assert "stands for 'a' and for 'b'" in words(twice.stderr)
    word = run("gold", "import", plain, "--to", "x", "--labels", "gut=yess")
    assert "Did you mean 'yes'?" in words(word.stderr)
    reason = run("gold", "import", plain, "--to", "x", "--drop", "tie")
    assert "Did you mean 'tied'?" in words(reason.stderr)
    column = run("gold", "import", plain, "--to", "x", "--map", "claim=clam", "--map", "context=c")
    assert "Did you mean 'claim'?" in words(column.stderr)
    assert run("gold", "import", plain, "--to", "x", "--from", "ragtruht").exit_code == 2
    assert run("gold", "import", "none.csv", "--to", "x").exit_code == 2
    assert not Path("x").exists()


def test_what_a_file_says_cannot_steer_the_terminal(run):
    evil = "\x1b[31mred\x1b[0m \u202e"
    rows = (f"Tea {evil}.,Hot {evil}.,yes,x", f"{evil},,no,x", f"b,c,{evil},x")
    rows = (*rows, *(f"Tea {n}.,Hot {n}.,no,x" for n in range(4)))
    text = "\n".join((f"claim,context,label,{evil}", *rows))
    Path("evil.csv").write_text(text, encoding="utf-8")
    ended = run("gold", "import", "evil.csv", "--to", "tea", "--yes")
    assert ended.exit_code == 0
    assert "⟨1B⟩[31mred" in ended.stdout
    asked = run("gold", "import", "evil.csv", "--to", "two", "--map", f"note={evil.strip()}")
    assert asked.exit_code == 2
    for stream in (ended.stdout, ended.stderr, asked.stdout, asked.stderr):
        assert not re.search("[\x1b\u202e]", stream)


def test_formats_are_listed(run, run_json):
    told = {form["name"]: form for form in run_json("gold", "formats")}
    assert {"ragtruth", "label-studio", "ragas", "table"} <= told.keys()
    assert told["ragtruth"]["kind"] == "public"
    shown = words(run("gold", "formats").stdout)
    assert "format point at labels licence" in shown
    assert "table a .csv (as spreadsheets" in shown


def test_the_datasheet_is_shown_and_written(run, plain):
    run("gold", "import", plain, "--to", "tea")
    page = run("gold", "datasheet", "tea").stdout
    assert Path("tea/README.md").read_text(encoding="utf-8") == page
    Path("tea/README.md").unlink()
    assert "written: tea/README.md" in run("gold", "datasheet", "tea", "--write").stdout
    Path("tea/README.md").write_text("ours")
    ended = run("gold", "datasheet", "tea", "--write")
    assert ended.exit_code == 2
    assert "not written over" in words(ended.stderr)
    assert Path("tea/README.md").read_text() == "ours"


def test_columns_that_are_not_read_are_told_in_few_lines(run):
    extra = ",".join(f"feature {n}" for n in range(300))
    header = f"claim,context,label,{extra},prediction,gpt verdict"
    row = f"Tea is hot.,Tea is served hot.,yes,{',' * 299},yes,no"
    Path("wide.csv").write_text(f"{header}\n{row}\n", encoding="utf-8")
    shown = run("gold", "import", "wide.csv", "--dry-run").stdout
    assert "not read: prediction, gpt verdict (looks made by a model;" in shown
    assert "feature 7 and 292 more" in words(shown)
    assert "1 claim with a label; 1 answer, 1 context; ternary" in shown
    assert "\n[yes] Tea is hot.\n  in: Tea is served hot.\n" in shown
    assert len(shown.splitlines()) < 40


def test_maps_that_are_not_read_are_told(run, plain):
    both = run("gold", "import", plain, "--dry-run", "--map", "clam=x", "--labels", "a=b")
    assert "clam: there is no such field. Did you mean 'claim'?" in words(both.stderr)
    assert "a: must be one of yes, no, idk" in words(both.stderr)
    fever = run("gold", "import", plain, "--dry-run", "--from", "fever", "--map", "claim=x")
    assert (fever.exit_code, "fever reads no --map" in fever.stderr) == (2, True)


def test_packed_files_are_told(run):
    Path("rows.zip").write_bytes(b"PK\x03\x04")
    ended = run("gold", "import", "rows.zip", "--dry-run")
    assert "a packed file is not read. Unpack it" in words(ended.stderr)


def reviewed(*words: str) -> str:
    """A spreadsheet in which two people used some words of their own."""
    lines = ["Statement,Document,Reviewer Kate,Reviewer 李"]
    for n in range(4 * len(words)):
        kate, li = words[n % len(words)], ["支持", "矛盾", words[0]][n % 3]
        lines.append(f"Tea {n} is hot.,The page on tea {n} says that it is hot.,{kate},{li}")
    Path("reviewed.csv").write_text("\n".join(lines), encoding="utf-8")
    return "reviewed.csv"


def test_columns_of_unusual_words_are_not_lost(run):
    table = reviewed("backed up", "clashes", "not in doc")
    ended = run("gold", "import", table, "--to", "tea", "--yes")
    assert ended.exit_code == 2
    assert not Path("tea").exists()
    assert "'Reviewer Kate' (backed up | clashes | not in doc)" in words(ended.stderr)
    line = next(line for line in ended.stderr.splitlines() if "label:Kate=" in line)
    assert "--map 'label:Kate=Reviewer Kate' --map 'label:李=Reviewer 李'" in line
    options = line.replace("up=…", "up=yes").replace("clashes=…", "clashes=no")
    options = options.replace("doc=…", "doc=idk").replace("支持=…", "支持=yes")
    made = run("gold", "import", table, "--to", "tea", *shlex.split(options.replace("=…", "=no")))
    assert made.exit_code == 0, made.stderr
    assert load_goldset("tea").manifest.annotators == ("Kate", "李")


def test_columns_that_are_no_labels_can_be_left_unread(run):
    table = reviewed("backed up", "clashes", "not in doc")
    said = ("--map", "claim=Statement", "--map", "context=Document")
    ended = run("gold", "import", table, "--to", "tea", *said)
    assert ended.exit_code == 0, ended.stderr
    assert "look like labels and are not read" in words(ended.stdout)
    assert ended.stdout.index("metajudge label tea --as NAME") < ended.stdout.index("gold check")
    assert "gold split" not in ended.stdout
    assert load_goldset("tea").manifest.labelling_policy.rules == ()


def test_label_words_that_no_cell_holds_are_told(run):
    table = reviewed("backed up", "clashes", "not in doc")
    said = [f"--labels={word}" for word in ("backed up=yes", "clash=no", "支持=yes", "矛盾=no")]
    ended = run("gold", "import", table, "--dry-run", *said)
    assert "label:Reviewer Kate" in ended.stdout
    shown = words(ended.stdout)
    assert "--labels 'clash': no cell holds it; did you mean 'clashes'?" in shown


def test_many_unknown_words_have_to_be_explained_or_dropped(run):
    cells = ["yes", "backed up", "bakced up", "no"] * 3
    lines = [f"Tea {n} is hot.,Tea {n} is served hot.,{word}" for n, word in enumerate(cells)]
    Path("t.csv").write_text("\n".join(["claim,context,label", *lines]), encoding="utf-8")
    told = ("gold", "import", "t.csv", "--to", "tea", "--yes", "--labels", "backed up=yes")
    ended = run(*told)
    assert ended.exit_code == 2
    assert not Path("tea").exists()
    assert "25% of the label cells" in words(ended.stderr)
    assert "  --labels 'bakced up=…'" in ended.stderr
    assert "'bakced up': did you mean 'backed up'?" in ended.stderr
    assert run(*told, "--drop", "unknown_label").exit_code == 0
    assert len(load_goldset("tea").every_claim) == 9


@pytest.mark.parametrize("name", ["csv", "Excel", "xlsx", "tsv", "spreadsheet"])
def test_a_spreadsheet_is_a_plain_table(run, plain, name):
    ended = run("gold", "import", plain, "--to", "tea", "--from", name)
    assert ended.exit_code == 2
    assert "a spreadsheet is a plain table" in words(ended.stderr)


def test_a_plain_table_is_no_export_of_a_tool(run, plain):
    ended = run("gold", "import", plain, "--to", "tea", "--from", "label-studio")
    assert ended.exit_code == 2
    assert "it looks like a plain table. Leave --from out." in words(ended.stderr)


def test_one_slip_in_a_column_map_is_one_message(run, plain):
    Path("odd.csv").write_text("a,b\nTea is hot.,Tea is served hot.\n", encoding="utf-8")
    ended = run("gold", "import", "odd.csv", "--to", "tea", "--map", "claim=aa")
    assert ended.exit_code == 2
    assert ended.stderr.count("--map") == 1
    assert "there is no such column" in words(ended.stderr)


def test_other_labels_for_the_same_claims_are_refused(run):
    rows = [f"Tea {n} is hot.,Tea {n} is served hot.,yes" for n in range(12)]
    for name, text in (("a.csv", "yes"), ("b.csv", "no")):
        lines = "\n".join(["claim,context,label", *rows]).replace(",yes", f",{text}")
        Path(name).write_text(lines, encoding="utf-8")
    run("gold", "import", "a.csv", "--to", "tea", "--label-space", "ternary")
    ended = run("gold", "import", "b.csv", "--to", "tea", "--label-space", "ternary", "--yes")
    assert ended.exit_code == 2
    assert "--replace" in ended.stdout
    assert "--add" in ended.stdout
    assert "… and 2 more" in ended.stdout


def test_a_question_that_is_broken_off_ends_as_interrupted(run, plain, monkeypatch):
    def broken_off(*_: object, **__: object) -> bool:
        raise typer.Abort

    monkeypatch.setattr(gold_import, "_on_terminal", lambda: True)
    monkeypatch.setattr(typer, "confirm", broken_off)
    ended = run("gold", "import", plain, "--to", "tea")
    assert ended.exit_code == 4
    assert "interrupted: nothing is written" in ended.stderr


QUESTIONS = """\
claim,context,label
When does it open?,It opens at nine.,yes
几点开门？,茶是热的。,no
"""


def test_the_metric_is_said_once_and_kept(run, plain):
    Path("questions.csv").write_text(QUESTIONS, encoding="utf-8")
    takes = ("gold", "import", "questions.csv", "--to", "gold", "--yes")
    said = run(*takes, "--metric", "context_relevance")
    assert said.exit_code == 0, said.stderr
    assert load_goldset("gold").manifest.metric == "context_relevance"
    more = QUESTIONS + "When does it close?,It opens at ten.,no\n"
    Path("questions.csv").write_text(more, encoding="utf-8")
    for way in ("--add", "--replace"):
        assert run(*takes, way).exit_code == 0
        kept = load_goldset("gold")
        assert (kept.manifest.metric, len(kept.claims)) == ("context_relevance", 3)
    other = run(*"gold import plain.csv --to gold --add --metric faithfulness".split())
    assert other.exit_code == 2
    assert "the set is context_relevance, the import faithfulness" in words(other.stderr)


def test_a_metric_and_its_labels_are_checked(run, plain):
    unknown = run("gold", "import", plain, "--to", "gold", "--metric", "context_relevence")
    assert unknown.exit_code == 2 and "'context_relevance'" in unknown.stderr
    idk = run("gold", "import", plain, "--to", "gold", "--metric", "context_relevance")
    assert idk.exit_code == 2 and not Path("gold").exists()
    assert "plain.csv:4: label: gold for context_relevance has the labels yes, no" in words(
        idk.stderr
    )
