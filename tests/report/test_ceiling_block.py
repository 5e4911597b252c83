from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.experiment.ceiling_part import ceiling_results
from metajudge.gold.goldset import GoldSet
from metajudge.report.ceiling_block import LINES_SHOWN, ceiling_html, ceiling_lines
from metajudge.report.ceiling_results import CeilingResults
from metajudge.report.words import LANGUAGES, Language, word
from metajudge.selection import CandidateCodes, claim_columns
from tests.report.factory_texts import HOSTILE
from tests.selection.people import GAPS, candidates_of, gold_of

LETTERS = np.asarray(list("yni"))


def results_of(gold: GoldSet, candidates: CandidateCodes) -> CeilingResults:
    columns = claim_columns(gold.claims, binary=False)
    weights = cluster_weights(columns.answers.n_clusters, 200, np.random.default_rng(1))
    found = ceiling_results(gold, columns, candidates, cluster="answer", weights=weights)
    assert found is not None
    return found


def crowd(names: str = "pqr", label_source: str = "human") -> tuple[GoldSet, CandidateCodes]:
    """Sixty claims; the better of the two judges comes last."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 60)

    def noisy(rate: float) -> str:
        return "".join(LETTERS[np.where(rng.random(60) < rate, rng.integers(0, 3, 60), truth)])

    rows = {name: noisy(0.2) for name in names}
    chances: Any = rng.dirichlet([1, 1, 1], 60)
    verdicts = {"worse/en × local:m": noisy(0.9), "better/en × local:m": noisy(0.1)}
    candidates = candidates_of(verdicts, {"better/en × local:m": chances})
    return gold_of(rows, label_source), candidates


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def both_texts(found: CeilingResults, language: Language) -> tuple[str, str]:
    """Words of the page block and of the terminal, each on one line."""
    return (
        Page(ceiling_html(found, language)).text,
        " ".join(" ".join(ceiling_lines(found, language)).split()),
    )


def test_nothing_stands_for_no_ceiling() -> None:
    assert ceiling_html(None, "en") == ""
    assert ceiling_lines(None, "zh") == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_ratio_without_its_two_numbers(language: Language) -> None:
    found = results_of(*crowd())
    judge = next(row for row in found.candidates if row.trial.startswith("better")).kappa
    assert judge.ratio is not None
    assert judge.people is not None
    parts = [f"{number:.2f}".lstrip("0") for number in (judge.people, judge.ratio)]
    for text in both_texts(found, language):
        assert f"/ {parts[0]} = {parts[1]}" in text
        assert f"{judge.judge.value:.2f}".lstrip("0") in text
        assert word("ceiling", language) in text
        assert word("ceiling.against_gold", language) in text


def test_the_nearest_judge_comes_first_and_tails_are_said_once() -> None:
    found = results_of(*crowd())
    for text in both_texts(found, "en"):
        assert text.index("better/en") < text.index("worse/en")
        assert text.count("× local:m") == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_authors_agreement_is_called_no_ceiling(language: Language) -> None:
    found = results_of(*crowd(label_source="author"))
    assert found.labels_from == "authors"
    for text in both_texts(found, language):
        assert word("ceiling.authors", language).replace(" ", "") in text.replace(" ", "")
        assert word("ceiling.title_authors", language) in text
        assert word("ceiling.against_gold", language) not in text
    people = results_of(*crowd())
    for text in both_texts(people, language):
        assert word("ceiling.authors", language) not in text


def test_b97_rare_labels_have_a_note_with_their_counts() -> None:
    found = results_of(gold_of({"a": "y" * 12, "b": "y" * 11 + "n"}), candidates_of({}))
    for text in both_texts(found, "en"):
        assert "Rare labels: no 1." in text
        assert "12 of 12 claims" in text
        assert "yes 23, no 1, idk 0" in text


def test_b96_one_label_only_is_explained() -> None:
    found = results_of(gold_of({"a": "y" * 12, "b": "y" * 12}), candidates_of({}))
    for text in both_texts(found, "en"):
        assert "People gave yes only: alpha is 1 by convention and kappa is undefined." in text
        assert "mean kappa –" in text
        assert "– mean kappa: only one and the same label was given" in text
        assert "Rare labels" not in text


def test_full_agreement_has_no_interval_and_says_why() -> None:
    found = results_of(gold_of({"a": "yni" * 5, "b": "yni" * 5}), candidates_of({}))
    for text in both_texts(found, "en"):
        assert "No interval for mean kappa, alpha: every resample gives the same value" in text
    for text in both_texts(found, "zh"):
        assert "平均 kappa、alpha：没有区间" in text


def test_few_shared_claims_put_alpha_first() -> None:
    few = results_of(gold_of(GAPS), candidates_of({"t": "yynf"}))
    for text in both_texts(few, "en"):
        assert "No kappa: no two annotators share 10 claims." in text
        assert "No alternative annotator test: it needs three annotators" in text
    rows = {"a": "yni" * 5, "b": "yni" * 5, "c": "yny" + "-" * 12}
    some = results_of(gold_of(rows), candidates_of({"t": "yni" * 5}))
    for text in both_texts(some, "en"):
        assert "Kappa rests on 1 of 3 pairs of annotators" in text
        assert "15 claims in all" in text
    assert any(line.startswith("trial") and "alpha" in line for line in ceiling_lines(some, "en"))


def test_the_alternative_annotator_test_states_its_epsilon_and_who_takes_part() -> None:
    gold, candidates = crowd("pqr")
    found = results_of(gold, candidates)
    for text in both_texts(found, "en"):
        assert "at epsilon .20 and false discovery rate .05" in text
        assert "take part in the test" not in text
    assert "✓" in ceiling_html(found, "en")
    assert "✗" in ceiling_html(found, "en")
    side = found.model_copy(update={"annotators": {**found.annotators, "side": 4}})
    for text in both_texts(side, "en"):
        assert "3 of 4 annotators take part in the test" in text


def test_soft_labels_stand_on_the_page_where_there_are_any() -> None:
    found = results_of(*crowd())
    page = ceiling_html(found, "en")
    assert "Jensen-Shannon" in page
    bare = [row.model_copy(update={"soft": None}) for row in found.candidates]
    without = found.model_copy(update={"candidates": tuple(bare)})
    assert "Jensen-Shannon" not in ceiling_html(without, "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_others_texts_stay_texts(language: Language) -> None:
    rows = {f"{HOSTILE[i]} {i}": "yni" * 5 for i in range(3)}
    names = {f"{text} × {HOSTILE[3]}": "yni" * 5 for text in HOSTILE}
    found = results_of(gold_of(rows), candidates_of(names))
    html = ceiling_html(found, language)
    page = Page(html)
    assert set(page.tags) <= set(
        "h2 h3 p ul li dl dt dd div span bdi table thead tbody tr th td details summary".split()
    )
    assert "<script>" in page.text
    for character in ("\u202e", "\u2028", "\x1b"):
        assert character not in html
        assert not [line for line in ceiling_lines(found, language) if character in line]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", [72, 80, 120])
def test_lines_fit_the_terminal(language: Language, width: int) -> None:
    gold, _ = crowd("pqr", "author")
    long = {
        f"summary-tolerant@1.0.0+letters(rotated)+reason_first {i}/en+zh × local:qwen": "yni" * 20
        for i in range(LINES_SHOWN + 3)
    }
    lines = ceiling_lines(results_of(gold, candidates_of(long)), language, width)
    assert max(map(cell_len, lines)) <= width
    assert f"… {word('more_rows_n', language, n=3)}" in lines


def test_a_caution_stands_for_few_clusters() -> None:
    found = results_of(gold_of(GAPS), candidates_of({}))
    assert "4 clusters, under 30" in ceiling_html(found, "en")
    assert "只有 4 个聚类（少于 30）" in ceiling_html(found, "zh")
