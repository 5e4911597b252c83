from __future__ import annotations

from pathlib import Path

import pytest

from metajudge.errors import TemplateError
from metajudge.templates import (
    Template,
    Wording,
    catalogue,
    catalogue_wording,
    changed,
    read_template,
    read_wordings,
)
from metajudge.verdicts.parse import parse_reply
from metajudge.verdicts.verdict import Reply
from tests.templates.made import YAML, make, write

FAMILIES = (
    "literal",
    "summary-tolerant",
    "strict-no-external",
    "contradiction-only",
    "evidence-first",
)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_catalogue_has_all_families_in_both_languages(name: str, language: str) -> None:
    source = catalogue()[name].by_language[language]
    assert isinstance(source, Template)
    assert (source.language, source.family) == (language, name)
    for told in (source.purpose, source.risk):
        assert len(told) > 20
    assert set(source.dialect.words) == {"yes", "no", "idk"}


def test_the_languages_of_a_wording_ask_alike() -> None:
    for wording in catalogue().values():
        en, zh = (wording.by_language[lang] for lang in ("en", "zh"))
        assert isinstance(en, Template) and isinstance(zh, Template)
        assert (en.answer, en.layout, en.claims_per_call) == (zh.answer, zh.layout, 1)
        assert len(en.rules) == len(zh.rules)
        assert (en.reason_hint is None) == (zh.reason_hint is None)


def test_shipped_templates_differ_in_what_they_ask() -> None:
    prints = [s.fingerprint for w in catalogue().values() for s in w.by_language.values()]
    assert len(set(prints)) == len(prints) == 10


def test_what_the_catalogue_gives_can_be_changed_without_harm() -> None:
    catalogue().clear()
    assert list(catalogue()) == list(FAMILIES)


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(TemplateError, match="Did you mean 'summary-tolerant'"):
        catalogue_wording("summary_tolerant")
    with pytest.raises(TemplateError, match="There are: literal"):
        catalogue_wording("zzz")


def test_a_wording_speaks_the_claims_language_or_the_first() -> None:
    both = catalogue()["literal"]
    assert [both.source_for(tag).language for tag in ("zh", "zh-CN", "en-GB", "fr")] == [
        "zh",
        "zh",
        "en",
        "en",
    ]
    assert both.misses(["en-US", "zh-Hant", "fr", "de"]) == ("fr", "de")
    chinese = Wording("only", {"zh": both.by_language["zh"]})
    assert chinese.source_for("en").language == "zh"


def test_files_of_one_name_make_one_wording(tmp_path: Path) -> None:
    en = write(tmp_path, YAML)
    zh = write(tmp_path, YAML.replace("language: en", "language: zh"), "plain.zh.yaml")
    (wording,) = read_wordings([en, zh]).values()
    assert list(wording.by_language) == ["en", "zh"]


def test_faults_of_all_files_come_at_once(tmp_path: Path) -> None:
    paths = [
        write(tmp_path, YAML.replace("family: plain\n", ""), "a.yaml"),
        write(tmp_path, YAML.replace("care.", "{{ care }}."), "b.yaml"),
        write(tmp_path, YAML, "c.yaml"),
        write(tmp_path, YAML, "d.yaml"),
        tmp_path / "absent.yaml",
    ]
    with pytest.raises(TemplateError) as caught:
        read_wordings(paths)
    assert [(Path(p.where).name, p.field) for p in caught.value.problems] == [
        ("a.yaml", "family"),
        ("b.yaml", "rules[0]"),
        ("d.yaml", "name"),
        ("absent.yaml", None),
    ]


def test_a_template_file_may_have_bom_and_crlf(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + YAML.replace("\n", "\r\n").encode())
    assert read_template(path) == read_template(write(tmp_path, YAML))
    path.write_bytes(b"\xef\xbb\xbf" + YAML.replace("care.", "{{ x }}").encode())
    with pytest.raises(TemplateError, match=r"t\.yaml:11: rules\[0\]"):
        read_template(path)


def test_changed_names_all_faults_and_keeps_what_is_not_named() -> None:
    template = make(labels="letters", rules=["a"])
    with pytest.raises(TemplateError) as caught:
        changed(template, "here", layout="sideways", claims_per_call=0)
    assert {p.field for p in caught.value.problems} == {"layout", "claims_per_call"}
    assert changed(template, "here", labels=None, layout=None) == template
    assert changed(template, "here", layout="claim_last").dialect == template.dialect
    with pytest.raises(TemplateError, match="answered as JSON"):
        changed(template, "here", claims_per_call=4)


def test_b41_shipped_samples_parse() -> None:
    for wording in catalogue().values():
        for source in wording.by_language.values():
            assert isinstance(source, Template)
            for label in source.dialect.words:
                sample = source.sample_answer(label, "see the second sentence")
                (verdict,) = parse_reply(Reply(sample, "stop"), source, ["1"])
                assert (verdict.label, verdict.repaired) == (label, False)
