import pytest

from metajudge.gold.tables.headings import (
    annotator_in,
    is_by_model,
    is_gold,
    matches,
    names_model,
    names_nobody,
    score,
)


@pytest.mark.parametrize(
    ("heading", "field"),
    [
        ("claim", "claim"),
        ("Statement to check*", "claim"),
        ("Statment", "claim"),
        ("ClaimText", "claim"),
        ("陈述", "claim"),
        ("待核查陈述（必填）", "claim"),
        ("模型回答", "claim"),
        ("context", "context"),
        ("Source passage (verbatim)", "context"),
        ("RETRIEVED_CONTEXTS", "context"),
        ("参考资料", "context"),
        ("上下文/原文", "context"),
        ("用户问题", "question"),
        ("Query:", "question"),
        ("Gold label", "label"),
        ("标注结果", "label"),
        ("Annotator", "annotator"),
        ("标注人", "annotator"),
        ("Labelled at", "time"),
        ("用时（秒）", "seconds"),
        ("Time spent [s]", "seconds"),
        ("Comments / remarks", "note"),
        ("备注", "note"),
        ("Claim ID", "claim_id"),
        ("编号", "claim_id"),
        ("Doc ID", "context_id"),
        ("切片", "slice"),
        ("语言", "lang"),
    ],
)
def test_headings_of_spreadsheets(heading, field):
    assert matches(heading)[0].field == field


def test_the_very_name_is_the_surest():
    assert score("claim", "claim").score > score("Statment", "claim").score
    assert score("Statement", "claim").score > score("statement to check", "claim").score
    assert matches("Nr.") == matches("序号") == ()


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("label_anna", "anna"),
        ("anna", "anna"),
        ("Anna's verdict", "Anna"),
        ("Label (Bo)", "Bo"),
        ("rating by Cy", "Cy"),
        ("Rater 1", "Rater 1"),
        ("Label 2", "Label 2"),
        ("标注员甲", "标注员甲"),
        ("标签：丙", "丙"),
        ("乙的判断", "乙"),
        ("标注结果-丁", "丁"),
    ],
)
def test_whose_labels_stand_under_a_heading(heading, name):
    assert annotator_in(heading) == name


def test_settled_labels_and_those_of_models():
    assert all(map(is_gold, ("Final label", "gold", "最终标签", "Consensus", "adjudicated")))
    assert not any(map(is_gold, ("Goldberg", "anna", "标注员甲")))
    assert all(map(is_by_model, ("GPT-4o", "model verdict", "LLM judge", "模型判断")))
    assert not any(map(is_by_model, ("anna", "Remodelled", "标注员甲")))
    assert is_by_model("Claude") and not names_model("Claude")
    assert all(map(names_model, ("gpt-4o", "claude-3.5", "Qwen2.5-7B", "大模型")))


@pytest.mark.parametrize(
    "heading",
    [
        *("label.suggestion", "label.suggestion.agent", "prediction", "pred_label", "predicted"),
        *("judge", "Judge verdict", "gpt", "model", "auto_label", "verdict_model", "score"),
        *("faithfulness_score", "LLMJudge", "llm_verdict", "AI", "AI标注", "用GPT标注", "大模型"),
        *(
            "Label (GPT-4o)",
            "标签（模型）",
            "预测",
            "模型预测",
            "自动评估",
            "裁判",
            "NLI",
            "通义千问",
        ),
    ],
)
def test_b92_headings_of_what_a_model_made(heading):
    assert is_by_model(heading)


@pytest.mark.parametrize(
    "heading", ["human judge", "人工", "人工标注", "expert score", "Aida", "Maia", "Otto", "Autumn"]
)
def test_headings_of_what_people_made(heading):
    assert not is_by_model(heading)


@pytest.mark.parametrize(
    ("heading", "nobody"),
    [
        *[(name, True) for name in ("label", "Faithful", "Is it supported?", "是否支持", "human")],
        *[(name, False) for name in ("No", "Yes Anna", "True Bo", "Label 1", "Rater", "丙", "甲")],
    ],
)
def test_whether_a_heading_names_anybody(heading, nobody):
    assert names_nobody(heading) is nobody
