"""A template beside the labelling policy of the gold set that it is to be measured on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from metajudge.gold.claim import LabellingPolicy, Slice, SupportKind
from metajudge.gold.goldset import GoldSet
from metajudge.templates.prompt_lint.clauses import Clause, split_clauses
from metajudge.templates.prompt_lint.finding import Doubt, shortened
from metajudge.templates.prompt_lint.stances import absences, conflicts, support_stances
from metajudge.templates.prompt_lint.words import LintWords, lint_words
from metajudge.templates.template import Template

_ABSENT: tuple[Slice, ...] = ("outside_true", "outside_false", "off_context")
_WORDS = {"yes": "yes", "no": "no", "idk": "idk", "是": "yes", "否": "no", "不知道": "idk"}


def policy_doubts(template: Template, clauses: Sequence[Clause], gold: GoldSet) -> Iterator[Doubt]:
    """Where judge and annotators are told different things, or the judge is told nothing."""
    policy = gold.manifest.labelling_policy
    counted = _counted(policy)
    stances = {stance.kind: stance for stance in reversed(support_stances(clauses))}
    differing: dict[Clause, list[SupportKind]] = {}
    for kind, stance in stances.items():
        if kind in counted and counted[kind][0] != stance.allowed:
            differing.setdefault(stance.clause, []).insert(0, kind)
    for clause, kinds in differing.items():
        sources = dict.fromkeys(counted[kind][1] for kind in kinds)
        ways = ("does not count", "does") if counted[kinds[0]][0] else ("counts", "does not")
        why = (
            f"the template {ways[0]} {_and(kinds)} as support, policy {policy.version!r} of "
            f"{gold.manifest.name} {ways[1]}: {'; '.join(sources)}"
        )
        yield _against(clause, why)
    yield from _slices(clauses, policy)
    untold = [kind for kind in policy.support if kind not in stances]
    if untold:
        why = f"policy {policy.version!r} settles {_and(untold)}; the template does not say"
        mend = "Add a rule where verdicts of these claims are wrong."
        yield Doubt("note", "policy-not-told", None, None, why, mend)
    yield from _labels(template, gold)


def _and(kinds: Sequence[SupportKind]) -> str:
    names = [kind.replace("_", " ") for kind in kinds]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _against(clause: Clause, why: str) -> Doubt:
    mend = (
        "Change the template, unless it is a reference that is meant to differ; or the policy, "
        "with a new version."
    )
    return Doubt("warning", "template-against-policy", clause.field, clause.shown, why, mend)


def _counted(policy: LabellingPolicy) -> Mapping[SupportKind, tuple[bool, str]]:
    """Whether each kind counts by the policy, and where it says so: `support`, or else a rule.

    Of rules only those are read that begin with the name of a kind and a colon, and those on
    knowledge from outside.
    """
    found: dict[SupportKind, tuple[bool, str]] = {}
    for rule in policy.rules:
        for kind, counts in _by_rule(rule):
            found.setdefault(kind, (counts, f"“{shortened(rule)}”"))
    return found | {kind: (counts, "support") for kind, counts in policy.support.items()}


def _by_rule(rule: str) -> Iterator[tuple[SupportKind, bool]]:
    words = lint_words("zh" if any("\u4e00" <= char <= "\u9fff" for char in rule) else "en")
    name, colon, text = rule.replace("：", ":").partition(":")
    label = next((label for word, label in _WORDS.items() if _begins(text, word)), None)
    if colon and label is not None:
        for kind, pattern in words.kinds.items():
            if pattern.match(name.strip()) or pattern.fullmatch(name.strip()):
                yield kind, label == "yes"
    clauses = [_clause(part, words) for part in split_clauses(rule, words, {})]
    for stance in support_stances(clauses):
        if stance.kind == "common_knowledge":
            yield stance.kind, stance.allowed


def _begins(text: str, word: str) -> bool:
    rest = text.strip().casefold()
    return rest.startswith(word) and not rest[len(word) : len(word) + 1].isalpha()


def _clause(part: str, words: LintWords) -> Clause:
    return Clause("labelling_policy", None, part, words, part)


def _slices(clauses: Sequence[Clause], policy: LabellingPolicy) -> Iterator[Doubt]:
    """Labels that the policy gives to slices, and the template gives otherwise."""
    gone = [label for name in _ABSENT for label in policy.slice_labels.get(name, ())]
    against = policy.slice_labels.get("contradiction", ())
    for what, allowed, given in (
        ("a claim that the context says nothing about", gone, absences(clauses)),
        ("a claim that the context contradicts", against, conflicts(clauses)),
    ):
        for one in given:
            if allowed and one.label not in allowed:
                why = (
                    f"{what} is {one.label} here, and {' or '.join(dict.fromkeys(allowed))} by "
                    f"policy {policy.version!r} (slice_labels)"
                )
                yield _against(one.clause, why)
                break


def _labels(template: Template, gold: GoldSet) -> Iterator[Doubt]:
    given = {claim.label for claim in gold.judged().claims}
    missing = sorted(given - {"supported", "unsupported", *template.dialect.words})
    if missing:
        why = f"gold labels of {gold.manifest.name} that the template does not offer: {missing[0]}"
        mend = "Offer the label, or measure on a binary set."
        yield Doubt("warning", "labels-not-of-gold", "labels", None, why, mend)
