"""Replies lie under the keys of sweeps, whatever a judge has learnt while it was asked."""

import pytest

from metajudge.metrics.selfcheck.checker import SelfCheck
from metajudge.release.answers import Answer, AnswerClaim, asked_claims
from metajudge.release.asking import open_judges, planned
from metajudge.runner.store import Store
from metajudge.templates.catalogue import catalogue, changed
from tests.loopback import chat, error, serve
from tests.metrics.selfcheck.asked import candidate, reads

LITERAL = catalogue()["literal"].source_for("en")
BATCH = changed(LITERAL, "test", claims_per_call=2, answer={"form": "label_first", "json": True})
BATCHED = '[{"id": 1, "verdict": "yes"}, {"id": 2, "verdict": "no"}]'
CHECKS = 4


def refuses(setting):
    """A server that refuses a setting."""
    return lambda call: (
        error(400, f"unsupported parameter {setting}", param=setting)
        if setting in call.body
        else reads(call)
    )


def refuses_later(call):
    """A server that takes a setting of two calls and then refuses it."""
    return refuses("temperature")(call) if call.number >= 2 else reads(call)


def planned_keys(asked, answer):
    """The keys of a sweep over the sentences of one answer, by a judge of its own."""
    gold, name = asked_claims([answer]), asked.judge.name
    plan = planned([asked], gold, open_judges([asked]), {})
    return {call.call.key for call in plan.calls[name] if call.claims}


@pytest.mark.parametrize(
    ("template", "script"),
    [
        (LITERAL, reads),
        (LITERAL, chat("yes", first_token=[("yes", -0.1), ("no", -2.5)])),
        (LITERAL, refuses("temperature")),
        (LITERAL, refuses("top_logprobs")),
        (LITERAL, refuses("max_tokens")),
        (LITERAL, refuses_later),
        (BATCH, chat(BATCHED)),
    ],
)
def test_keys_are_those_of_a_sweep_for_the_whole_life_of_a_checker(tmp_path, template, script):
    answers = []
    for n in range(CHECKS):
        texts = [f"Hall {n} opens at nine.", f"Hall {n} closes at five."]
        claims = tuple(AnswerClaim(f"a.{k}", text) for k, text in enumerate(texts))
        answers.append(Answer("a", (f"Hall {n} opens at nine.", "Tea."), claims, lang="en"))
    with serve(script) as server:
        asked = candidate(server.url, template={"en": template})
        expected = set().union(*(planned_keys(asked, answer) for answer in answers))
        with SelfCheck(asked, deadline_s=30, store=tmp_path / "r.sqlite") as checks:
            for answer in answers:
                text = " ".join(claim.claim for claim in answer.claims)
                assert checks.check(text, list(answer.passages), lang="en").complete
    with Store(tmp_path / "r.sqlite") as kept:
        assert kept.count() == len(expected) == CHECKS * (1 if template is BATCH else 2)
        assert set(kept.get_many(sorted(expected))) == expected
