from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.cells import cell_len

from metajudge.gold import write_goldset
from metajudge.gold.claim import LabellingPolicy, PolicyChange
from tests.labelling.panel import CLAIMS, note, panel
from tests.labelling.test_agree import crowd

HOSTILE = "bob\x1b[31m\u202e[bold]\n李小龙的第二位很长的标注员名字"
NAMES = {"p0": "ana", "p1": "李小龙的标注员", "p2": HOSTILE, "p3": "Dr. A Very Long Name the Third"}


@pytest.fixture
def tea():
    """A set of four annotators with names that are long, Chinese and hostile."""
    rows = [
        row
        | {
            "claim_id": f"茶叶条目编号-{row['claim_id']}",
            "annotations": [each | {"annotator": NAMES[each["annotator"]]}
                            for each in row["annotations"]],
        }
        for row in crowd(80)
    ]  # fmt: skip
    del rows[0]["label"]
    rows[0]["annotations"] = [note("ana", "yes"), note(HOSTILE, "no", flagged=True)]
    write_goldset(panel(rows), Path("tea"))
    return Path("tea")


def test_the_report_fits_80_columns_and_shows_names_without_obeying_them(run, tea):
    ended = run("gold", "agree", tea)
    assert ended.exit_code == 0
    lines = ended.stdout.splitlines()
    assert max(map(cell_len, lines)) <= 80
    assert "\x1b" not in ended.stdout
    assert "\u202e" not in ended.stdout
    assert "bob⟨1B⟩" in ended.stdout
    assert "李小龙的标注员" in ended.stdout
    for title in (
        "Agreement [95 % interval over contexts]",
        "Pairs of annotators, least kappa first",
        "Each annotator: share of equal labels",
        "Who may need training",
        "Who gives a label more often (+) or less often (-) than the others of a claim",
        "Over time: agreement in the last half of the labels minus the first half",
        "Seconds a label, flags and skipped claims",
        "Majority, Dawid-Skene and gold label side by side",
    ):
        assert title in lines
    assert any(line.startswith("lang zh") for line in lines)
    assert any(line.startswith("· tie 1:") for line in lines)


def test_json_has_every_number_and_nothing_else(run, run_json, tea):
    found = run_json("gold", "agree", tea, "--resamples", 300, "--seed", 3, "--level", 0.9)
    assert (found["resamples"], found["seed"], found["level"]) == (300, 3, 0.9)
    assert len(found["pairs"]) == 6
    assert found["overall"]["alpha"]["low"] < found["overall"]["alpha"]["value"]
    assert {one["name"] for one in found["annotators"]} == set(NAMES.values())
    assert found["disputed"][0]["whys"] == ["tie", "flagged", "split"]
    assert found == run_json("gold", "agree", tea, "--resamples", 300, "--seed", 3, "--level", 0.9)


def test_groups_are_those_that_are_asked_for(run_json, tea):
    def kinds(*options):
        return {group["by"] for group in run_json("gold", "agree", tea, *options)["groups"]}

    assert kinds() == {"slice", "lang"}
    assert kinds("--slice-by", "domain") == {"domain"}
    assert kinds("--slice-by", "lang", "--slice-by", "domain") == {"lang", "domain"}
    assert kinds("--slice-by", "none") == set()


def test_soft_labels_go_to_a_file(run, tea):
    ended = run("gold", "agree", tea, "--soft", "out/soft.jsonl")
    rows = [json.loads(line) for line in Path("out/soft.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 80
    assert "80 claims" in ended.stderr
    assert rows[-1]["claim_id"] == "茶叶条目编号-c0"
    assert rows[-1]["shares"] == {"yes": 0.5, "no": 0.5, "idk": 0.0}
    assert rows[-1]["gold"] is None
    assert run("gold", "agree", tea, "--soft", "tea").exit_code == 2


@pytest.mark.parametrize("annotators", [[], ["小李"]])
def test_without_a_second_annotator_it_says_how_to_get_one(run, run_json, annotators):
    rows = [CLAIMS[0] | {"annotations": [note(name, "yes", seconds=9.0) for name in annotators]}]
    write_goldset(panel(rows), Path("my tea"))
    ended = run("gold", "agree", "my tea")
    assert ended.exit_code == 0
    more = " --double 1" if annotators else ""
    assert f"  metajudge label 'my tea' --as NAME{more}" in ended.stdout.splitlines()
    assert ("only '小李' has labelled" in ended.stdout) is bool(annotators)
    assert max(map(cell_len, ended.stdout.splitlines())) <= 80
    assert run_json("gold", "agree", "my tea")["missing"] is not None


def test_two_annotators_who_never_differ(run):
    ended = run("gold", "agree")
    assert ended.exit_code == 0
    text = " ".join(ended.stdout.split())
    assert "No claim is in dispute." in text
    assert "two annotators: a disagreement does not say who erred" in text
    assert "alpha: no interval: every resample gives the same value (all," in text


def test_a_set_that_is_not_there_is_a_message(run):
    ended = run("gold", "agree", "nowhere")
    assert ended.exit_code == 2
    assert "nowhere" in ended.stderr


def test_two_annotators_get_one_line_in_place_of_a_table_of_dashes(run):
    lines = run("gold", "agree").stdout.splitlines()
    at = lines.index("Who may need training")
    assert lines[at + 1] == "· cannot tell: two annotators: a disagreement does not say who erred"


def test_hours_that_a_claim_lay_open_do_not_widen_the_table(run):
    rows = crowd(30)
    for row in rows:
        row["annotations"] = [each | {"seconds": 1e308} for each in row["annotations"]]
    write_goldset(panel(rows), Path("slow"))
    lines = run("gold", "agree", "slow").stdout.splitlines()
    assert max(map(cell_len, lines)) <= 80
    assert any(line.startswith("p0         >9,999  >9,999") for line in lines)


def test_names_that_look_alike_are_told(run, run_json):
    names = ["小李", "Ana", "ana\u200b ", "an\u202ea"]
    rows = [
        {
            "claim_id": "c1",
            "context_id": "x1",
            "annotations": [note(name, "yes") for name in names],
        }
    ]
    write_goldset(panel(rows), Path("alike"))
    assert run_json("gold", "agree", "alike")["alike_names"] == [names[1:]]
    text = " ".join(run("gold", "agree", "alike").stdout.split())
    assert r"'Ana', 'ana\u200b ', 'an\u202ea'" in text


def test_a_crowd_is_shown_in_part_those_below_first(run):
    rows = crowd(60, rights=(0.95,) * 34 + (0.3,))
    write_goldset(panel(rows), Path("crowd"))
    lines = run("gold", "agree", "crowd", "--resamples", 500).stdout.splitlines()
    assert "· and 5 more annotators in each table: --json has all" in lines
    at = lines.index("Who may need training")
    assert lines[at + 2].startswith("p34")
    assert "below the others" in lines[at + 2]


def test_what_a_changed_policy_set_aside_is_said(run):
    notes = [note("ana", "no"), note("bo", "yes", policy="2"), note("cy", "yes", policy="2")]
    rows = [
        {
            "claim_id": "c1",
            "context_id": "x1",
            "slice": "summary",
            "annotations": notes,
        }
    ]
    policy = LabellingPolicy(
        version="2",
        support={"summary": True},
        changes=(PolicyChange(version="2", support={"summary": True}),),
    )
    write_goldset(panel(rows, labelling_policy=policy), Path("changed"))
    text = " ".join(run("gold", "agree", "changed").stdout.split())
    assert "· 1 label left out: given before the labelling policy changed" in text
    assert "ana" not in text


def test_where_one_label_is_nearly_all_the_model_comes_with_a_warning(run):
    def said(rows):
        write_goldset(panel(rows), Path("lopsided"))
        return "look before you believe it" in run("gold", "agree", "lopsided").stdout

    rows = crowd(40, rights=(0.9, 0.9, 0.9))
    assert not said(rows)
    for row in rows:
        row["annotations"] = [each | {"label": "yes"} for each in row["annotations"]]
    assert said(rows)


@pytest.mark.parametrize(
    "file", ["goldset.yaml", "claims.jsonl", "contexts.csv", "annotations/ana.jsonl", ""]
)
def test_soft_labels_never_write_over_the_set(run, tea, file):
    before = {path: path.read_bytes() for path in tea.rglob("*") if path.is_file()}
    ended = run("gold", "agree", tea, "--soft", tea / ".." / "tea" / file)
    assert ended.exit_code == 2
    assert "would write over the gold set itself" in " ".join(ended.stderr.split())
    assert {path: path.read_bytes() for path in tea.rglob("*") if path.is_file()} == before
