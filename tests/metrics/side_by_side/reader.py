"""One careful reader with a table of authored labels: he answers every framework alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from metajudge.templates.frame import Frame, FrameName, frame_for

TOPICS = Path(__file__).with_name("topics.yaml")
REFUSALS = {"en": "Sorry, I cannot answer that.", "zh": "抱歉，我无法回答。"}
WORDS = (("en", "NONE", ("yes", "no", "idk")), ("zh", "无", ("是", "否", "不知道")))
FRAMES: tuple[FrameName, ...] = (
    "claim",
    "sentence",
    "passage",
    "entity",
    "aspect",
    "redundancy",
    "reference",
)


@dataclass(frozen=True)
class Sentence:
    """A sentence of an answer, which is one claim, and what is so of it."""

    text: str
    context: str
    reference: str
    covers: tuple[int, ...]
    serves: bool


@dataclass(frozen=True)
class Case:
    """One answer of the fifty, with everything that the reader knows about it."""

    name: str
    lang: str
    topic: dict[str, Any]
    ids: tuple[str, ...]

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The answer's sentences; () for a refusal."""
        rows = (self.topic["sentences"][name] for name in self.ids)
        return tuple(Sentence(r[0], r[1], r[2], tuple(r[3]), r[4]) for r in rows)

    @property
    def answer(self) -> str:
        """Its text."""
        joint = " " if self.lang == "en" else ""
        return joint.join(s.text for s in self.sentences) or REFUSALS[self.lang]

    @property
    def reference(self) -> str:
        """The reference answer of its topic."""
        joint = " " if self.lang == "en" else ""
        return joint.join(text for text, _, _ in self.topic["reference"])

    @property
    def passages(self) -> list[str]:
        """What was retrieved."""
        return [text for text, _, _ in self.topic["passages"]]

    @property
    def question(self) -> str:
        """What was asked."""
        return str(self.topic["question"])

    @property
    def row(self) -> dict[str, Any]:
        """As `evaluate` takes it."""
        return {
            "answer_id": self.name,
            "question": self.question,
            "answer": self.answer,
            "context": self.passages,
            "reference": self.reference,
            "lang": self.lang,
        }

    def covered(self) -> list[bool]:
        """Which aspects the answer covers."""
        found = {aspect for sentence in self.sentences for aspect in sentence.covers}
        return [place in found for place in range(len(self.topic["aspects"]))]

    def recalled(self) -> list[bool]:
        """Which statements of the reference the answer makes."""
        return [bool(set(by) & set(self.ids)) for _, _, by in self.topic["reference"]]


def cases() -> list[Case]:
    """The fifty answers."""
    topics = yaml.safe_load(TOPICS.read_text(encoding="utf-8"))
    return [
        Case(f"{number}.{place}", topic["lang"], topic, tuple(ids))
        for number, topic in enumerate(topics)
        for place, ids in enumerate(topic["answers"])
    ]


class Reader:
    """Answers our prompts: a list that is asked for, or the label of a unit."""

    def __init__(self, known: list[Case]) -> None:
        self._known = known

    def reply(self, system: str, prompt: str) -> str:
        """The reply to one of our prompts."""
        for lang, no, words in (
            ("en", "NONE", ("yes", "no", "idk")),
            ("zh", "无", ("是", "否", "不知道")),
        ):
            for name in FRAMES:
                frame = frame_for(lang, name)
                if frame.system == system:
                    label = self._label(name, *_parts(frame, prompt))
                    return words[("yes", "no", "idk").index(label)]
            entries = self._listed(lang, system, prompt)
            if entries is not None:
                return "\n".join(f"- {entry}" for entry in entries) or no
        raise AssertionError(f"the reader does not know this prompt: {system} {prompt}")

    def _label(self, frame: FrameName, evidence: str, unit: str) -> str:
        for case in self._known:
            found = _judged(case, frame, evidence, unit)
            if found is not None:
                return found
        raise AssertionError(f"the reader has no label for {unit!r} ({frame}) in {evidence!r}")

    def _listed(self, lang: str, system: str, prompt: str) -> list[str] | None:
        from metajudge.templates.extract import extract_prompt

        for case in self._known:
            if case.lang != lang:
                continue
            lists: dict[Any, list[tuple[str, list[str]]]] = {
                "claims": [
                    (case.answer, [s.text for s in case.sentences]),
                    (case.reference, [text for text, _, _ in case.topic["reference"]]),
                ],
                "aspects": [(case.question, case.topic["aspects"])],
                "entities": [(case.reference, [name for name, _ in case.topic["entities"]])],
            }
            for kind, pairs in lists.items():
                for text, entries in pairs:
                    question = None if kind == "aspects" else case.question
                    asked = extract_prompt(lang, kind).render(text, question)
                    if [m.content for m in asked] == [system, prompt]:
                        return entries
        return None


def _parts(frame: Frame, prompt: str) -> tuple[str, str]:
    """Evidence and unit of a prompt that shows the context first."""
    evidence, _, rest = prompt.removeprefix(f"{frame.context_head}\n").partition(
        f"\n\n{frame.claim_head}"
    )
    return evidence, rest.partition("\n\n")[0]


def _judged(case: Case, frame: FrameName, evidence: str, unit: str) -> str | None:
    """The label of a unit where it belongs to this case; None where it does not."""
    whole = frame_for(case.lang, frame).context_block(case.passages)
    of_context = whole.endswith(evidence) and evidence.startswith(("[1]", case.passages[0]))
    wanted = {
        "claim": of_context,
        "sentence": of_context,
        "entity": of_context,
        "passage": unit == case.question and evidence in case.passages,
        "aspect": evidence == case.answer,
        "redundancy": evidence == case.question,
    }
    if frame == "reference":
        return _against_reference(case, evidence).get(unit)
    return _labels(case, frame, evidence).get(unit) if wanted[frame] else None


def _labels(case: Case, frame: FrameName, evidence: str) -> dict[str, str]:
    """Unit -> label of a frame, against evidence that is known to be this case's."""
    if frame in ("claim", "sentence"):
        statements = {text: str(label) for text, label, _ in case.topic["reference"]}
        return statements | {s.text: s.context for s in case.sentences}
    if frame == "passage":
        return {case.question: _word(dict(_helps(case))[evidence])}
    if frame == "entity":
        return {name: _word(there is not None) for name, there in case.topic["entities"]}
    if frame == "aspect":
        covered = zip(case.topic["aspects"], case.covered(), strict=True)
        return {text: _word(there) for text, there in covered}
    return {REFUSALS[case.lang]: "no"} | {s.text: _word(s.serves) for s in case.sentences}


def _against_reference(case: Case, evidence: str) -> dict[str, str]:
    """Statements of the answer against the reference, or the other way round."""
    if evidence == case.reference:
        return {s.text: s.reference for s in case.sentences}
    if evidence != case.answer:
        return {}
    pairs = zip(case.topic["reference"], case.recalled(), strict=True)
    return {row[0]: "yes" if there else "idk" for row, there in pairs}


def _helps(case: Case) -> list[tuple[str, bool]]:
    return [(text, good) for text, good, _ in case.topic["passages"]]


def _word(holds: bool) -> str:
    return "yes" if holds else "no"
