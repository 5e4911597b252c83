"""Plain chat messages and the page for people: filled in by the written rules alone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from metajudge.release.emit.writing import emitted
from tests.release.emit.made import CLAIMS, JUDGE, PASSAGES, made, own_path, own_template


def told(release: Any, lang: str) -> Any:
    return json.loads(emitted(release, "chat").texts[f"faithfulness-verdict.chat.{lang}.json"])


def filled_by_the_rules(
    page: Any, passages: list[str], claims: list[str], question: str | None = None, order: int = 0
) -> list[dict[str, str]]:
    """The messages as someone would fill them in who has read nothing but the file."""
    if not any(passage.strip() for passage in passages):
        context = page["empty_context"]
    elif len(passages) == 1:
        context = passages[0]
    else:
        context = "\n\n".join(f"[{i}] {text}" for i, text in enumerate(passages, 1))
    alone = page["claims_per_call"] == 1
    listed = claims[0] if alone else "\n".join(f"{i}. {c}" for i, c in enumerate(claims, 1))
    texts = {"context": context, "claims": listed, "question": question or ""}
    places = {marker: texts[name] for name, marker in page["orders"][order]["markers"].items()}
    cut = re.compile(f"({'|'.join(map(re.escape, places))})")
    return [
        {
            "role": message["role"],
            "content": "".join(places.get(part, part) for part in cut.split(message["content"])),
        }
        for message in page["orders"][order]["messages"]
    ]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("layout", ["context_first", "claim_last", "instructions_first"])
def test_filled_by_its_own_rules_the_file_gives_the_release_s_messages(
    tmp_path: Path, lang: str, layout: str
) -> None:
    release = made(tmp_path, [own_template(lang=lang, layout=layout)])
    page = told(release, lang)
    own = own_path(release, lang)
    shown = [filled_by_the_rules(page, list(PASSAGES), [claim]) for claim in CLAIMS]
    assert shown == own.messages


def test_empty_contexts_batches_and_questions_follow_the_rules_too(tmp_path: Path) -> None:
    template = own_template(answer={"form": "label_only", "json": True}, claims_per_call=3)
    template = template.model_copy(update={"show_question": True})
    page = told(made(tmp_path, [template]), "en")
    for passages in ([], [" \n"], ["one {{claims}}"], ["a", "{{question}}"]):
        claims = ["{{context}}", "two"]
        wanted = [m._asdict() for m in template.render(passages, claims, "who {{claims}}?")]
        assert filled_by_the_rules(page, passages, claims, "who {{claims}}?") == wanted


def test_markers_are_never_found_in_the_template_s_own_text(tmp_path: Path) -> None:
    template = own_template()
    raw = template.model_dump(by_alias=True)
    raw["examples"] = [
        {"context": "Say {{context}} and {{context_2}}.", "claim": "x", "label": "no"}
    ]
    page = told(made(tmp_path, [type(template).model_validate(raw)]), "en")
    (order,) = page["orders"]
    assert order["markers"] == {"context": "{{context_3}}", "claims": "{{claims}}"}
    assert (
        "Say {{context}} and {{context_2}}."
        in filled_by_the_rules(page, ["p"], ["c"])[1]["content"]
    )


def test_it_holds_every_order_with_its_prior_the_policy_and_the_judge(tmp_path: Path) -> None:
    templates = [own_template(labels=labels) for labels in ("letters", "letters+1", "letters+2")]
    release = made(
        tmp_path, templates, policy="partial(0.5)", reading="batch_corrected", prior=(0.5, 0.3, 0.2)
    )
    page = told(release, "en")
    assert [order["labels"]["yes"] for order in page["orders"]] == [["A"], ["C"], ["B"]]
    assert page["orders"][2]["prior"] == {"yes": 0.5, "no": 0.3, "idk": 0.2}
    assert "mean of the corrected probabilities" in page["joining"]
    assert page["policy"]["credit"] == {"yes": 1.0, "no": 0.0, "idk": 0.5}
    assert (page["threshold"], page["judge"]["spec"]) == (0.6, JUDGE)
    assert page["release"] == release.ref
    assert page["release_sha256"] == release.sha256
    assert emitted(release, "chat").drop_in.differences == ()


def test_the_page_shows_both_languages_whole_and_says_what_a_plain_reader_misses(
    tmp_path: Path,
) -> None:
    release = made(tmp_path, reading="batch_corrected", prior=(0.5, 0.3, 0.2), policy="drop_idk")
    (page,) = emitted(release, "markdown").texts.values()
    for lang in ("en", "zh"):
        assert own_template(lang=lang).question_block in page
    assert "| idk | left out |" in page
    assert "{{context}}" in page
    assert "reads the plain label; figures of the release do not hold for it" in page
