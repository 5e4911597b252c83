import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import MOST_PRINTED, GoldError
from metajudge.gold import GoldSet, load_goldset, read_table
from tests.gold.reading import ROW, Tea, faults


def test_folder_with_contexts_file(tea: Tea) -> None:
    gold = load_goldset(tea())
    first, second = gold.claims
    assert gold.passages(first) == ("Tea is a drink.", "It is hot.")
    assert (first.lang, second.lang) == ("en", "zh")
    assert first.label_source == "human"
    assert gold.manifest.name == "tea"
    assert gold.split_of(first) is None
    assert gold.path is not None and gold.notes == ()


def test_inline_contexts_text_or_list(tea: Tea) -> None:
    rows = [
        ROW | {"context": "Tea is a hot drink."},
        {**ROW, "claim": "Tea is cold.", "contexts": ["Tea is a hot drink."]},
        {**ROW, "claim": "Tea is black.", "passages": ["One.", "Two."], "title": "Tea"},
    ]
    del rows[1]["context"], rows[2]["context"]
    gold = load_goldset(tea(rows, None))
    assert [gold.passages(claim) for claim in gold.claims] == [
        ("Tea is a hot drink.",),
        ("Tea is a hot drink.",),
        ("One.", "Two."),
    ]
    assert len(gold.contexts) == 2
    assert gold.contexts[gold.claims[2].context_id].title == "Tea"


def test_b86_ids_come_from_content_whatever_the_order(table: Tea) -> None:
    rows = [ROW | {"claim": f"Tea is hot {n}."} for n in range(5)]
    forth = read_table(table(rows, "forth.jsonl"))
    back = read_table(table(rows[::-1], "back.jsonl"))
    assert {c.claim: c.claim_id for c in forth.claims} == {c.claim: c.claim_id for c in back.claims}
    assert forth.sha256 == back.sha256
    assert len({c.claim_id for c in forth.claims}) == 5
    assert {c.answer_id for c in forth.claims} == {forth.claims[0].answer_id}
    assert "claim_id made from content (5 rows)" in forth.notes


def test_all_faults_of_all_files_at_once(tea: Tea) -> None:
    claims = [
        {
            "claim_id": "c1",
            "answer_id": "a",
            "context_id": "x1",
            "claim": " ",
            "label": "yes",
            "lang": "en",
        },
        {
            "claim_id": "c1",
            "answer_id": "a",
            "context_id": "x9",
            "claim": "A.",
            "label": "yse",
            "lang": "en",
        },
        {
            "claim_id": "c3",
            "answer_id": "a",
            "context_id": "x1",
            "claim": "B.",
            "label": "no",
            "lang": "fr",
            "slice": "summry",
            "labl": 1,
        },
        {
            "claim_id": 4,
            "answer_id": "a",
            "context_id": "x1",
            "claim": None,
            "label": "no",
            "lang": "en",
            "exclude": "yes",
        },
    ]
    contexts = [
        {"context_id": "x1", "passages": ["Tea."]},
        {"context_id": "x2", "passages": []},
        {"context_id": "x3", "passages": ["a", 7]},
        {"context_id": "x1", "passages": ["Milk."], "langg": "en"},
    ]
    folder = tea(claims, contexts, "name: tea\nverion: 2\n")
    found = faults(folder)
    wanted = [
        "F/goldset.yaml:2: verion: there is no such field (got 2). Did you mean 'version'?",
        "F/contexts.jsonl:2: passages: the context is empty (got []). Give the passages",
        "F/contexts.jsonl:3: passages[1]: a passage must be a text (got 7)",
        "F/contexts.jsonl:4: context_id: the context_id stands twice, first at F/contexts.jsonl:1",
        "F/contexts.jsonl:4: langg: there is no such field (got 'en'). Did you mean 'lang'?",
        "F/claims.jsonl:1: claim: a claim must not be empty (got ' ')",
        "F/claims.jsonl:2: claim_id: the claim_id stands twice, first at F/claims.jsonl:1",
        "F/claims.jsonl:2: context_id: no context has this id (got 'x9').",
        "F/claims.jsonl:2: label: must be one of yes, no, idk (got 'yse'). Did you mean 'yes'? "
        "Or map the labels: {'yse': 'yes'}.",
        "F/claims.jsonl:3: slice: must be one of literal,",
        "F/claims.jsonl:3: labl: there is no such field (got 1). Did you mean 'label'?",
        "F/claims.jsonl:4: claim_id: must be a text (got 4). Put the value in quotes.",
        "F/claims.jsonl:4: claim: must be a text (got None)",
    ]
    for beginning in wanted:
        assert any(text.startswith(beginning) for text in found), (beginning, found)


def test_claims_of_a_broken_context_are_not_blamed(tea: Tea) -> None:
    found = faults(
        tea(
            contexts=[
                {"context_id": "x1", "passages": [""]},
                {"context_id": "x2", "passages": ["茶"]},
            ]
        )
    )
    assert len(found) == 2 and "contexts.jsonl:1" in found[0]
    assert "lang" in found[1]  # c2 took its language from the context, which now says none


def test_the_message_stops_at_fifty_and_keeps_all(tea: Tea) -> None:
    rows = [
        {
            "claim_id": f"c{n}",
            "answer_id": "a",
            "context_id": "nope",
            "claim": "A.",
            "label": "yes",
            "lang": "en",
        }
        for n in range(80)
    ]
    with pytest.raises(GoldError) as caught:
        load_goldset(tea(rows))
    assert len(caught.value.problems) == 80
    assert len(str(caught.value).split("\n")) == MOST_PRINTED + 1
    assert str(caught.value).endswith("and 30 more problems")


@pytest.mark.parametrize("passages", [[], [""], None, "", ["  ", ""]])
def test_empty_context_is_refused_unless_allowed(table: Tea, passages: Any) -> None:
    path = table([{**ROW, "context": passages}])
    assert "the context is empty" in faults(path)[0]
    gold = load_goldset(path, allow_empty_context=True)
    assert gold.passages(gold.claims[0]) == ()
    assert gold.manifest.allow_empty_context


def test_manifest_can_allow_empty_contexts(tea: Tea) -> None:
    manifest = Path(tea() / "goldset.yaml").read_text(encoding="utf-8")
    folder = tea(
        contexts=[
            {"context_id": "x1", "passages": []},
            {"context_id": "x2", "lang": "zh", "passages": ["茶"]},
        ],
        manifest=manifest + "allow_empty_context: true\n",
    )
    assert load_goldset(folder).contexts["x1"].passages == ()


def test_blank_passage_among_others(table: Tea) -> None:
    path = table([{**ROW, "context": ["Tea.", " ", "Milk."]}])
    assert "passages[1]: a passage must not be empty" in faults(path)[0]
    gold = load_goldset(path, allow_empty_context=True)
    assert gold.passages(gold.claims[0]) == ("Tea.", "Milk.")
    assert "blank passage left out (1 row)" in gold.notes


def test_b92_b33_model_labels_and_excluded_rows_do_not_count(
    make_gold: Callable[..., GoldSet],
) -> None:
    gold = make_gold([{}, {"label_source": "model"}, {"exclude": True, "claim": "Hi."}])
    assert [claim.claim_id for claim in gold.judged().claims] == ["c0"]
    assert [claim.claim_id for claim in gold.judged(include_model=True).claims] == ["c0", "c1"]


def test_inline_context_id_with_two_contents(table: Tea) -> None:
    rows = [
        ROW | {"context_id": "x"},
        ROW | {"context_id": "x", "context": ["Milk."], "claim": "B."},
    ]
    assert "the context id already has other passages (got 'x')" in faults(table(rows))[0]
    rows = [ROW | {"group": "g"}, ROW | {"group": "h", "claim": "B."}]
    assert "another group, title or domain" in faults(table(rows, "b.jsonl"))[0]


def test_same_row_twice_without_ids(table: Tea) -> None:
    assert "the claim_id stands twice" in faults(table([ROW, ROW]))[0]


def test_language_must_be_known(tea: Tea) -> None:
    rows = [{"claim_id": "c", "answer_id": "a", "context_id": "x1", "claim": "A.", "label": "yes"}]
    assert (
        "lang: the set has the languages en, zh, so each claim must say its own"
        in faults(tea(rows))[0]
    )
    manifest = (tea() / "goldset.yaml").read_text(encoding="utf-8").replace("[en, zh]", "[en]")
    assert load_goldset(tea(rows, manifest=manifest)).claims[0].lang == "en"


@pytest.mark.parametrize("value", [7, {"text": "Tea."}, [{"text": "Tea."}], [["Tea."]]])
def test_wrong_types_of_context(table: Tea, value: Any) -> None:
    assert "must be a text" in faults(table([{**ROW, "context": value}]))[0]


def test_wrong_flag(table: Tea) -> None:
    assert "exclude: must be true or false" in faults(table([{**ROW, "exclude": "yes"}]))[0]


def test_folder_faults(tmp_path: Path, tea: Tea) -> None:
    assert "the folder holds neither goldset.yaml nor" in faults(tmp_path)[0]
    assert "no such file or folder" in faults(tmp_path / "nope")[0]
    assert "is written hf:" in faults("owner/name")[0]
    folder = tea()
    (folder / "claims.csv").write_text("claim\n", encoding="utf-8")
    assert "both claims.jsonl and claims.csv" in faults(folder)[0]
    (folder / "claims.csv").unlink()
    (folder / "claims.jsonl").unlink()
    assert "neither claims.jsonl nor claims.csv" in faults(folder)[0]
    assert "there is no claim in it" in faults(tea(b""))[0]
    other = tmp_path / "notes.txt"
    other.write_text("x", encoding="utf-8")
    assert "a file ending in .txt is not read as gold" in faults(other)[0]


def test_sha256_knows_content_alone(tea: Tea) -> None:
    gold = load_goldset(tea())
    first, second = gold.claims
    assert replace(gold, claims=(second, first)).sha256 == gold.sha256
    renamed = gold.manifest.model_copy(update={"name": "other", "version": "9"})
    assert replace(gold, manifest=renamed).sha256 == gold.sha256
    relabelled = first.model_copy(update={"label": "no"})
    assert replace(gold, claims=(relabelled, second)).sha256 != gold.sha256
    policy = gold.manifest.labelling_policy.model_copy(update={"rules": ("Sums count.",)})
    ruled = gold.manifest.model_copy(update={"labelling_policy": policy})
    assert replace(gold, manifest=ruled).sha256 != gold.sha256


def test_subset(make_gold: Callable[..., GoldSet]) -> None:
    gold = make_gold(
        [{"lang": lang, "context_id": f"x{n}"} for n, lang in enumerate(["en", "zh", "en", "en"])]
    )
    assert [c.claim_id for c in gold.subset(langs={"en"}, limit=2).claims] == ["c0", "c2"]
    assert set(gold.subset(limit=1).contexts) == {"x0"}
    assert gold.subset().claims == gold.claims
    with pytest.raises(GoldError, match="declares no split"):
        gold.subset(split="dev")
    assert gold.split_counts() == {None: 4}


FRAMEWORK_ROWS = [
    {
        "user_input": "What?",
        "response": "Tea is hot.",
        "retrieved_contexts": ["Tea."],
        "label": "yes",
    },
    {
        "input": "What?",
        "actual_output": "Tea is hot.",
        "retrieval_context": ["Tea."],
        "label": "yes",
    },
    {"vars": {"question": "What?", "claim": "Tea is hot.", "context": "Tea."}, "label": "yes"},
]


@pytest.mark.parametrize("row", FRAMEWORK_ROWS)
def test_framework_field_names_need_no_map(table: Tea, row: dict[str, Any]) -> None:
    gold = read_table(table([row]))
    claim = gold.claims[0]
    assert (claim.question, claim.claim, gold.passages(claim)) == (
        "What?",
        "Tea is hot.",
        ("Tea.",),
    )


def test_doc_claim_label_sets_hold_binary_codes(table: Tea) -> None:
    rows = [{"doc": "Tea.", "claim": f"Claim {code}.", "label": code} for code in (1, 0)]
    gold = read_table(table(rows))
    assert [claim.label for claim in gold.claims] == ["supported", "unsupported"]
    assert gold.manifest.label_space == "binary"


def test_two_columns_for_one_field(table: Tea) -> None:
    row = {**ROW, "retrieval_context": ["Milk."]}
    assert (
        "two columns, 'context' and 'retrieval_context', both stand for 'passages'"
        in faults(table([row]))[0]
    )
    gold = read_table(table([row]), columns={"passages": "retrieval_context"})
    assert gold.passages(gold.claims[0]) == ("Milk.",)
    assert read_table(table([{**ROW, "retrieval_context": None}])).claims


def test_json_list(table: Tea) -> None:
    assert len(load_goldset(table(json.dumps([ROW]), "rows.json")).claims) == 1
    assert (
        "F row 2: a row must be one JSON object (got 5)"
        in faults(table(json.dumps([ROW, 5]), "b.json"))[0]
    )
    assert "must hold one list of rows" in faults(table("{}", "c.json"))[0]
