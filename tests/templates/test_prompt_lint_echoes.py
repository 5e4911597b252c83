"""A rule that gives another label to what is said elsewhere in the same words."""

import pytest

from tests.templates.linted import SOUND, codes, found

RULE, RULES = "rule-contradicts-definition", "rules-contradict"


@pytest.mark.parametrize(
    ("language", "yes", "rule"),
    [
        ("en", "every part is backed; bullet points are welcome.", "Bullet points are {{ no }}."),
        ("en", "every part is backed, whoever the speaker is.", "{{ idk }} for every speaker."),
        ("zh", "每一部分都有材料支持，列成清单也行。", "列成清单的，选“{{ no }}”。"),
    ],
)
def test_what_a_definition_says_has_another_label_in_a_rule(language, yes, rule):
    (finding,) = [f for f in found(language, yes=yes, rule=rule) if f.code == RULE]
    assert finding.severity == "warning"
    assert finding.field == "rules[1]"
    assert "definitions.yes" in finding.why


@pytest.mark.parametrize(
    ("language", "yes", "rule"),
    [
        # The same label, the opposite, a further condition, and a rule with two labels.
        ("en", "every part is backed; bullet points are welcome.", "Bullet points are {{ yes }}."),
        ("en", "every part is backed; bullet points are welcome.", "Not {{ no }}: bullet points."),
        (
            "en",
            "every part is backed; bullet points are welcome.",
            "Bullet points under a heading that misleads the reader are {{ no }}.",
        ),
        (
            "en",
            "every part is backed; bullet points are welcome.",
            "Bullet points are {{ yes }}, and never {{ no }}.",
        ),
        ("zh", "每一部分都有材料支持，列成清单也行。", "列成清单时张冠李戴的，选“{{ no }}”。"),
        ("zh", "每一部分都有材料支持，列成清单也行。", "没有列成清单的，不要选“{{ no }}”。"),
    ],
)
def test_what_says_more_or_the_same_is_spared(language, yes, rule):
    assert RULE not in codes(language, yes=yes, rule=rule)


def test_two_rules_with_the_same_words_and_other_labels():
    both = ["Footnotes in small print give {{ yes }}.", "Small print, footnotes: {{ idk }}."]
    told = found(rules=[*SOUND["en"]["rules"], *both])
    assert [finding.field for finding in told if finding.code == RULES] == ["rules[2]"]
    apart = [both[0], "Footnotes that a later edition has struck out are {{ idk }}."]
    assert RULES not in codes(rules=[*SOUND["en"]["rules"], *apart])
