from metajudge.report.browser import browser_data
from metajudge.report.inert import visible
from metajudge.report.prompts import CLAIM_PLACE, CONTEXT_PLACE, prompt_shapes
from metajudge.report.ranked import ranked_trials
from metajudge.templates.catalogue import Wording, catalogue, changed
from metajudge.templates.template import Template
from tests.report.factory import make_sweep

CONTEXT = ("First {{ yes }} passage.", "Second <b>passage</b>.")
CLAIM = "The claim, with {braces}."


def test_b42_a_filled_shape_is_what_was_sent() -> None:
    for wording in catalogue().values():
        for lang, source in wording.by_language.items():
            shape = prompt_shapes([("t", [wording])], [lang])["t"][lang][0]
            context = "\n\n".join(f"[{i}] {text}" for i, text in enumerate(CONTEXT, 1))
            filled = shape.replace(CONTEXT_PLACE, context).replace(CLAIM_PLACE, CLAIM)
            sent = source.render(CONTEXT, (CLAIM,))
            assert filled == "\n\n".join(f"[{m.role}]\n{m.content}" for m in sent)


def test_prompts_that_differ_in_more_places_are_left_out() -> None:
    base = catalogue()["literal"].by_language["en"]
    assert isinstance(base, Template)
    batch = changed(base, "t", answer={"form": "label_only", "json": True}, claims_per_call=5)
    assert prompt_shapes([("batch", [Wording("batch", {"en": batch})])], ["en"]) == {}


def test_the_page_keeps_the_places() -> None:
    made = make_sweep()
    shapes = {"t": {"en": [f"a {CONTEXT_PLACE} b {CLAIM_PLACE}"]}}
    packed = browser_data(made.results, ranked_trials(made.results), made.gold, shapes)
    assert packed["prompts"] == shapes
    assert visible(CONTEXT_PLACE) == CONTEXT_PLACE
