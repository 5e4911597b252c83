"""A consultation from files and scripted judges to the report."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import jsonschema
import numpy as np
import pytest

from metajudge.errors import BudgetSpentError, InputError
from metajudge.gold.strict_yaml import dump_yaml
from metajudge.release.answers import Answer, AnswerClaim
from metajudge.release.consult import Statistics, consult
from metajudge.release.consult.asked import Heard
from metajudge.release.consult.bench import Said
from metajudge.release.consult.consultation import case_of, report_of
from metajudge.report.consult_file import consult_schema, consult_text
from metajudge.report.consult_results import ConsultCalls, ConsultReport
from metajudge.runner.limits import Budget
from tests.experiment.folder import CAREFUL, halls, write_gold, write_template
from tests.release.factory import put_release

QUICK = Statistics(resamples=200)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A gold set of 40 halls, two templates, and a judge that calls summaries idk without MIND."""
    claims, contexts = halls(40)
    write_gold(tmp_path, claims, contexts)
    write_template(tmp_path, "plain")
    write_template(tmp_path, "minding", "MIND the sums:")
    script(tmp_path, "judge", "idk")
    script(tmp_path, "sure", "yes")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def script(folder: Path, name: str, default: str) -> None:
    rules = [{"match": match, "reply": reply} for match, reply in CAREFUL]
    told = {"name": name, "rules": rules, "replies": [default]}
    (folder / f"{name}.yaml").write_text(dump_yaml(told), encoding="utf-8")


def answers(n: int = 30) -> list[Answer]:
    """Halls again, as a team's own answers: a literal, a summary, a wrong and a lost claim."""
    claims, contexts = halls(n, "zz")
    return [
        Answer(
            answer_id=f"mine-{i}",
            passages=tuple(context["passages"]),
            claims=tuple(
                AnswerClaim(f"mine-{i}-{j}", row["claim"], row["slice"])
                for j, row in enumerate(claims[4 * i : 4 * i + 4])
            ),
        )
        for i, context in enumerate(contexts)
    ]


def ask(current: str, proposed: str, **given: object) -> ConsultReport:
    usual = {
        "judge": "scripted:judge.yaml",
        "gold": "gold",
        "store": "replies.sqlite",
        "statistics": QUICK,
    }
    return consult(current, proposed, answers(), **(usual | given))  # type: ignore[arg-type]


PLAIN = "templates/plain.en.yaml+{}"
MINDING = "templates/minding.en.yaml+{}"


def test_a_template_that_credits_summaries_flips_exactly_these(place: Path) -> None:
    found = ask(PLAIN.format("strict"), MINDING.format("strict"))
    assert found.differing == ("template",)
    assert [(d.was, d.now, d.claims) for d in found.flips.directions] == [("idk", "yes", 30)]
    groups = {group.name: group.changed for group in found.flips.groups if group.kind == "slice"}
    assert groups == {"summary": 30, "literal": 0, "contradiction": 0, "off_context": 0}
    assert found.on_gold is not None
    row = found.on_gold.directions[0]
    assert (row.claims, row.agrees_after.value, row.agrees_before.value) == (40, 1.0, 0.0)
    assert found.on_gold.differences["summary_as_idk"].value == -1.0
    assert set(found.texts) == set(found.flips.directions[0].examples)
    assert set(found.gold_texts) == set(row.examples)
    assert found.calls.unanswered == 0 and found.calls.needed == found.calls.sent
    again = ask(PLAIN.format("strict"), MINDING.format("strict"))
    assert again.calls.sent == 0 and again.calls.stored == found.calls.needed
    assert again.flips == found.flips and again.scores == found.scores and again.rule == found.rule


def test_a_change_of_the_policy_alone_asks_nothing_more_and_is_said(place: Path) -> None:
    found = ask(PLAIN.format("lenient"), PLAIN.format("strict"))
    assert found.differing == ("policy",) and found.rule.pure_policy
    assert found.flips.changed == 0
    assert [step.part for step in found.parts.parts] == ["policy"]
    assert found.parts.parts[0].mean_score == found.parts.total.mean_score  # type: ignore[union-attr]
    assert "same verdicts" in found.rule.sentence
    # gold: strict scores 0.5 each; judged: 0.25 or less. Lenient: gold 0.75, judged 0.75 or more.
    assert found.rule.decision == "hold"
    assert found.calls.needed == 4 * (30 + 40)


def test_template_policy_and_judge_add_up_with_the_mixed_calls(place: Path) -> None:
    found = ask(
        PLAIN.format("lenient"),
        MINDING.format("strict") + "?threshold=0.6",
        proposed_judge="scripted:sure.yaml",
    )
    assert found.differing == ("policy", "threshold", "template", "judge")
    assert found.parts.not_asked == () and found.parts.total is not None
    for name in ("mean_score", "pass_rate", "support_rate"):
        whole = getattr(found.parts.total, name).value
        parts = sum(getattr(part, name).value for part in found.parts.parts)
        assert parts == pytest.approx(whole, abs=5e-6)
    # two judges over sample and gold, and two mixed corners over the sample
    assert found.calls.needed == 2 * 4 * (30 + 40) + 2 * 4 * 30


def test_mixed_calls_that_the_budget_forbids_are_reported_as_not_asked(place: Path) -> None:
    found = ask(
        PLAIN.format("strict"),
        MINDING.format("strict"),
        proposed_judge="scripted:sure.yaml",
        budget=Budget(calls=2 * 4 * (30 + 40) + 7),
    )
    assert [step.part for step in found.parts.parts] == ["template_and_judge"]
    assert found.parts.not_asked and "no reply" in found.parts.not_asked[0]
    assert found.flips.claims == 120
    assert found.rule.decision in ("collect", "hold")
    assert found.calls.stopped == "budget"


def test_a_budget_that_ends_early_leaves_whole_answers_and_weakens_the_decision(
    place: Path,
) -> None:
    found = ask(PLAIN.format("strict"), MINDING.format("strict"), budget=Budget(calls=500))
    calls = found.calls
    assert calls.stopped == "budget" and calls.sent == 500 and calls.unanswered == 60
    assert found.flips.claims < 120 and found.flips.claims % 4 == 0
    assert found.scores.answers == found.flips.claims // 4
    assert any("left out" in note for note in found.notes)
    states = {criterion.name: criterion.state for criterion in found.rule.criteria}
    assert states["budget_complete"] == "open" and found.rule.decision != "adopt"
    assert states["coverage"] == "kept"


def test_a_budget_spent_before_anything_can_be_said_is_an_error(place: Path) -> None:
    with pytest.raises(BudgetSpentError, match="nothing can be said yet"):
        ask(PLAIN.format("strict"), MINDING.format("strict"), budget=Budget(calls=1))


def test_nothing_that_differs_asks_nothing(place: Path) -> None:
    found = ask(PLAIN.format("strict"), PLAIN.format("ragas"))
    assert found.differing == () and found.rule.decision == "nothing_changes"
    assert found.calls.sent == 0 and found.flips.changed == 0


def test_without_gold_the_report_says_so_and_cannot_adopt(place: Path) -> None:
    found = ask(PLAIN.format("strict"), MINDING.format("strict"), gold="none")
    assert found.gold is None and found.on_gold is None and found.error is None
    assert found.rule.decision == "collect"
    assert found.thresholds.false_pass_rate.threshold.value is None


def test_repeats_are_measured_beside_the_change(place: Path) -> None:
    found = ask(PLAIN.format("strict"), MINDING.format("strict"), repeats=2)
    assert found.repeats.measured and found.repeats.current is not None
    assert found.repeats.current.flip_rate.value == 0.0
    assert found.repeats.between is not None
    assert found.repeats.between.flip_rate.value == 0.25
    assert any("temperature 0" in note for note in found.notes)


def test_gold_claims_are_drawn_once_however_often_the_sample_is(place: Path) -> None:
    once = ask(PLAIN.format("strict"), MINDING.format("strict"))
    thrice = ask(PLAIN.format("strict"), MINDING.format("strict"), repeats=3)
    assert thrice.calls.needed - once.calls.needed == 2 * 2 * once.sample.claims
    assert thrice.calls.unanswered == 0
    assert thrice.on_gold == once.on_gold


def test_the_file_follows_the_published_schema_and_holds_no_nan(place: Path) -> None:
    found = ask(PLAIN.format("lenient"), MINDING.format("strict"))
    schema = consult_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    text = consult_text(found)
    jsonschema.validate(json.loads(text), schema)
    assert "NaN" not in text and ConsultReport.model_validate_json(text) == found


def function_calls(work: Callable[[], object]) -> int:
    """Python functions entered by some work: what it costs, whatever else the machine does."""
    entered = 0

    def count(_frame: FrameType, event: str, _of: object) -> None:
        nonlocal entered
        entered += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return entered


def consulted(n: int) -> Callable[[], ConsultReport]:
    """The report on n answers of five claims that were heard already."""
    many = [
        Answer(f"m{i}", (f"Passage {i}.",), tuple(AnswerClaim(f"m{i}-{j}", "C.") for j in range(5)))
        for i in range(n)
    ]
    rng = np.random.default_rng(4)

    def random_side(claims: int) -> Said:
        codes = rng.choice([0, 0, 0, 1, 2], size=(claims, 1)).astype(np.int64)
        return Said(codes, np.full((claims, 1, 3), np.nan), np.ones(claims, np.bool_))

    case = case_of("literal+lenient", "summary-tolerant+strict", many, judge="baseline:ngram")
    n_gold = 0 if case.gold is None else len(case.gold.claims)
    mine, gold = ((random_side(claims), random_side(claims)) for claims in (5 * n, n_gold))
    calls = ConsultCalls(
        needed=1, stored=1, sent=0, unanswered=0, unanswered_claims={}, unanswered_gold={}
    )
    heard = Heard(mine, gold, {(False, False): mine[0], (True, True): mine[1]}, (), calls)
    return lambda: report_of(case, heard, QUICK)


def test_work_grows_with_the_answers_and_not_with_their_pairs() -> None:
    function_calls(consulted(10))
    few, more, most = (function_calls(consulted(n)) for n in (100, 200, 400))
    assert most - more < 2.2 * (more - few)
    assert (most - more) / 200 < 100


def test_a_release_brings_its_judge_policy_and_gold_set(place: Path) -> None:
    release = put_release(place / "releases")
    found = consult(
        "literal+lenient",
        release.ref,
        answers(),
        registry=place / "releases",
        store="replies.sqlite",
        statistics=QUICK,
    )
    assert found.proposed.kind == "release" and found.proposed.name == release.ref
    assert found.proposed.release_sha256 == release.sha256
    assert (found.proposed.policy, found.proposed.threshold) == ("strict", 0.5)
    assert found.current.judge == found.proposed.judge == "baseline:ngram"
    assert found.gold is not None and found.gold.name == "halls"
    assert any("its hash differs" in note for note in found.notes)
    assert any("names no judge" in note for note in found.notes)
    same = consult(
        str(release.folder), release.ref, answers(), registry=place / "releases", statistics=QUICK
    )
    assert same.rule.decision == "nothing_changes"


def test_a_release_whose_gold_set_is_gone_asks_for_one(place: Path, tmp_path: Path) -> None:
    release = put_release(tmp_path / "elsewhere" / "releases")
    with pytest.raises(InputError, match="--gold none"):
        consult("literal+strict", str(release.folder), answers(), statistics=QUICK)


def test_one_answer_gives_undefined_intervals_and_no_adoption(place: Path) -> None:
    found = consult(
        PLAIN.format("strict"),
        MINDING.format("strict"),
        answers(1),
        judge="scripted:judge.yaml",
        gold="gold",
        store="replies.sqlite",
        statistics=QUICK,
    )
    assert found.scores.mean_shift.value == 0.25
    assert found.rule.decision != "adopt"


def test_a_judge_that_is_never_readable_breaks_coverage(place: Path) -> None:
    muttering = {"name": "mutters", "replies": ["well now"]}
    (place / "mute.yaml").write_text(dump_yaml(muttering), encoding="utf-8")
    found = ask(
        PLAIN.format("strict"), MINDING.format("strict"), proposed_judge="scripted:mute.yaml"
    )
    states = {criterion.name: criterion.state for criterion in found.rule.criteria}
    assert states["coverage"] == "broken" and found.rule.decision == "hold"
    assert found.scores.proposed.mean.value is None
    assert found.scores.proposed.pass_rate.value == 0.0
    assert found.scores.proposed.undefined == {"no verdicts": 30}
    assert found.flips.table["yes"]["failure"] > 0


def test_a_policy_of_probabilities_without_any_is_undefined_with_its_reason(place: Path) -> None:
    found = ask(PLAIN.format("strict"), PLAIN.format("expected"))
    assert found.scores.proposed.mean.value is None
    assert found.scores.proposed.undefined == {"probabilities missing": 30}
    assert found.parts.answers == 0
    assert found.thresholds.pass_rate.threshold.value is None


def test_binary_gold_takes_no_and_idk_as_unsupported(place: Path) -> None:
    claims, contexts = halls(40)
    for row in claims:
        row["label"] = "supported" if row["label"] == "yes" else "unsupported"
    folder = place / "two"
    folder.mkdir()
    write_gold(folder, claims, contexts, label_space="binary")
    found = ask(PLAIN.format("strict"), MINDING.format("strict"), gold="two/gold")
    assert found.on_gold is not None and found.error is not None
    assert found.on_gold.differences["summary_as_idk"].value == -1.0
    assert found.on_gold.directions[0].agrees_after.value == 1.0
    assert found.error.proposed.singular_value is not None


def test_deepeval_from_lenient_to_strict_asks_for_facts_and_verdicts_once(place: Path) -> None:
    pytest.importorskip("deepeval")
    verdicts = json.dumps({"verdicts": [{"verdict": w} for w in ("yes", "idk", "no", "idk")]})
    told = {
        "name": "peer",
        "rules": [{"match": '"verdicts"', "reply": verdicts}],
        "replies": [json.dumps({"truths": ["It opens."]})],
    }
    (place / "peer.yaml").write_text(dump_yaml(told), encoding="utf-8")
    found = ask(
        "deepeval:faithfulness",
        "deepeval:faithfulness?penalize_ambiguous_claims=true",
        judge="scripted:peer.yaml",
    )
    assert found.differing == ("policy",) and found.rule.pure_policy
    assert found.current.form == "truths(deepeval)"
    # one call for the facts and one for the verdicts of each context, for both sides together
    assert found.calls.needed == 2 * (30 + 40) and found.calls.unanswered == 0
    # yes, idk, no, idk: 3/4 before, 1/4 after; every answer passed at 0.5 and none does now
    assert found.scores.current.mean.value == 0.75
    assert found.scores.proposed.mean.value == 0.25
    assert found.scores.pass_rate_shift.value == -1.0
    assert found.scores.to_fail == 30
