import re
from pathlib import Path

import pytest

from metajudge.report.html import SCRIPTS, html_page, write_html
from metajudge.report.markdown import render_markdown
from metajudge.report.words import Language
from tests.report.factory import MadeSweep, make_sweep
from tests.texts import tags


@pytest.fixture(scope="module")
def hostile() -> MadeSweep:
    return make_sweep(60, 6, hostile=True)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_self_contained_and_inert(hostile: MadeSweep, language: Language) -> None:
    page = html_page(hostile.results, hostile.gold, language)
    found = tags(page)
    kinds = {tag for tag, _ in found}
    assert not kinds & {"img", "link", "iframe", "object", "embed", "base", "audio", "video"}
    assert len([tag for tag, _ in found if tag == "script"]) == 2 + len(SCRIPTS)
    assert not [a for _, attrs in found for a in attrs if a.startswith("on") or a == "src"]
    assert not [a["href"] for _, a in found if "href" in a and not str(a["href"]).startswith("#")]
    assert f'<html lang="{"zh-CN" if language == "zh" else "en"}">' in page


def test_policy_allows_only_the_page_s_own_scripts(hostile: MadeSweep) -> None:
    page = html_page(hostile.results, hostile.gold)
    (policy,) = [a["content"] for _, a in tags(page) if a.get("http-equiv")]
    assert policy is not None
    scripts = next(p for p in policy.split("; ") if p.startswith("script-src"))
    assert "default-src 'none'" in policy
    count = 1 + len(SCRIPTS)
    assert re.fullmatch(rf"script-src( 'sha256-[A-Za-z0-9+/=]{{44}}'){{{count}}}", scripts)


def test_texts_that_look_like_templates_stay(hostile: MadeSweep) -> None:
    page = html_page(hostile.results, hostile.gold)
    assert "{{ 7*7 }}" in page
    assert "\u202e" not in page
    assert "\u2028" not in page
    assert "\x1b" not in page


@pytest.mark.parametrize("language", ["en", "zh"])
def test_both_languages_are_in_the_page(language: Language) -> None:
    made = make_sweep(30, 2)
    page = html_page(made.results, made.gold, language)
    assert made.results.decision.sentence in page
    assert made.results.decision.sentence_zh in page
    for key in ("lenient", "strict", "partial(0.5)", "drop_idk", made.results.gold.sha256):
        assert key in page


def test_readings_with_a_threshold_are_in_words_in_tables_charts_and_scripts() -> None:
    results = make_sweep(n_claims=40, n_trials=3, readings=("top", "batch_corrected@0.60")).results
    page = html_page(results)
    told = "batch-corrected, P(yes) ≥ 0.60"
    assert f'<span class="reading"><span class="en" lang="en">{told}' in page
    assert '"reading.batch_corrected@0.60":["batch-corrected, P(yes)' in page
    assert "batch ≥ 0.60" in render_markdown(results)
    assert "批次 ≥ 0.60" in render_markdown(results, "zh")


def test_without_gold_without_trials_and_binary(tmp_path: Path) -> None:
    for made in (make_sweep(5, 0), make_sweep(20, 2, ("top",), binary=True), make_sweep(1, 1)):
        path = write_html(made.results, None, tmp_path / "deep" / "report.html")
        assert "not part of this report" in path.read_text(encoding="utf-8")


def test_a_gold_set_that_was_not_judged_is_named() -> None:
    made, other = make_sweep(20, 1), make_sweep(21, 1)
    said = "is not the one that was judged"
    assert said not in re.sub(
        r"<script.*?</script>", "", html_page(made.results, made.gold), flags=re.S
    )
    assert said in re.sub(
        r"<script.*?</script>", "", html_page(made.results, other.gold), flags=re.S
    )


def test_same_results_same_bytes() -> None:
    made = make_sweep(20, 2)
    assert html_page(made.results, made.gold) == html_page(made.results, made.gold)


def test_b34_nothing_defined_still_shows() -> None:
    made = make_sweep(30, 2)
    blank = made.results.ranking[0].target.model_copy(
        update={"value": None, "low": None, "high": None, "reason": "nothing to count"}
    )
    trials = tuple(
        t.model_copy(update={"figures": dict.fromkeys(t.figures, blank)})
        for t in made.results.trials
    )
    page = html_page(made.results.model_copy(update={"trials": trials}), made.gold)
    assert "nothing to count" in page


def plain(page: str) -> str:
    """The page without its scripts and data."""
    return re.sub(r"<script.*?</script>", "", page, flags=re.S)


def panels(page: str) -> list[str]:
    return re.findall(r'data-panel="([a-z]+)"', plain(page))


def test_tabs_and_panels_belong_together() -> None:
    made = make_sweep(40, 3)
    page = plain(html_page(made.results, made.gold))
    tabs = re.findall(r'role="tab" id="tab-([a-z]+)" aria-controls="panel-([a-z]+)"', page)
    assert [a for a, _ in tabs] == [b for _, b in tabs] == panels(page)
    assert panels(page) == [
        *("overview", "selection", "stability", "calibration"),
        *("people", "changes", "claims", "details"),
    ]
    anchors = re.findall(r'<nav class="contents".*?</nav>', page, flags=re.S)
    links = [link for nav in anchors for link in re.findall(r'href="#([a-z-]+)"', nav)]
    assert links
    assert not [link for link in links if f'id="{link}"' not in page]


def test_results_of_schema_1_0_render_as_before() -> None:
    made = make_sweep(40, 3, whole=False)
    old = made.results.model_copy(update={"schema_version": "1.0"})
    page = html_page(old, made.gold)
    assert panels(page) == ["overview", "changes", "claims", "details"]
    assert "Confirmation" not in plain(page)


def test_a_part_that_is_absent_says_why_in_a_sentence() -> None:
    made = make_sweep(40, 3)
    bare = {"stability": None, "factors": None}
    page = plain(html_page(made.results.model_copy(update=bare), made.gold))
    assert "the experiment declares no perturbations" in page
    assert "the experiment declares no factors" in page
    assert 'class="cards controls"' in page
    alone = plain(html_page(made.results.model_copy(update={"controls": None}), made.gold))
    assert "No negative controls were asked" in alone


def test_a_selection_without_winner_baseline_or_confirmation() -> None:
    made = make_sweep(60, 3, safe=False)
    selection = made.results.selection
    assert selection is not None
    bare = selection.model_copy(update={"comparisons": (), "confirmation": None})
    results = made.results.model_copy(update={"selection": bare, "baseline": None, "power": None})
    page = plain(html_page(results, made.gold))
    assert "no safe winner" in page
    assert "the experiment names no baseline" in page
    assert "There is no safe winner to confirm" in page
    assert 'id="power"' not in page


def test_a_confirmation_that_fails_says_so_and_what_broke() -> None:
    made = make_sweep(60, 6)
    selection = made.results.selection
    assert selection is not None
    assert selection.confirmation is not None
    failed = selection.confirmation.model_copy(
        update={"holds": False, "broken": ("over_credit_upper",)}
    )
    told = selection.model_copy(update={"confirmation": failed})
    page = plain(html_page(made.results.model_copy(update={"selection": told}), made.gold))
    assert "does not hold" in page
    assert "Guardrails broken on test" in page


def test_an_insensitive_trial_is_flagged_with_its_reason() -> None:
    made = make_sweep(60, 6)
    page = plain(html_page(made.results, made.gold))
    assert page.count('class="flag"') == 1
    assert "yes to 97 % of claims before their evidence was removed" in page


def test_several_draws_are_named_where_the_first_is_shown() -> None:
    made = make_sweep(20, 2)
    trials = tuple(t.model_copy(update={"repeats": 3}) for t in made.results.trials)
    page = plain(html_page(made.results.model_copy(update={"trials": trials}), made.gold))
    assert page.count("the first of 3 draws") == 2
    assert "the first of" not in plain(html_page(made.results, made.gold))


def test_parts_that_name_strangers_still_render() -> None:
    made = make_sweep(40, 3)
    stability, controls = made.results.stability, made.results.controls
    assert stability is not None
    assert controls is not None
    strange = tuple(f"stranger {trial}" for trial in stability.trials)
    results = made.results.model_copy(
        update={
            "stability": stability.model_copy(update={"trials": strange}),
            "calibration": tuple(
                c.model_copy(update={"trial": "stranger"}) for c in made.results.calibration
            ),
        }
    )
    page = plain(html_page(results, made.gold))
    assert "stranger" in page
    assert "calibration" not in panels(page)
