"""A candidate with everything that its verdicts and scores follow from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from metajudge.gold.claim import Claim
from metajudge.judges import open_judge
from metajudge.judges.judge import Judge, Scalar
from metajudge.judges.options import JudgeOptions
from metajudge.release.pinned import PinnedJudge
from metajudge.report.part import Part, Reading
from metajudge.runner.trial import Trial
from metajudge.scoring.policies import Policy
from metajudge.selection.readings import Priors
from metajudge.templates.catalogue import Wording
from metajudge.templates.context_form import RAW, ContextForm
from metajudge.templates.source import PromptSource


class JudgePin(Part):
    """The judge and its decoding, with the identity that it had when it was pinned."""

    spec: str
    api_base: str | None = None
    temperature: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = 0.0
    seed: int | None = None
    timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 120.0
    max_in_flight: Annotated[int, Field(ge=1)] | None = None
    identity: dict[str, Scalar] = Field(default_factory=dict)
    """Model, file hash or provider version, decoding and backend version, as in call keys."""
    gives_logprobs: bool = False
    """As the judge when it was pinned; with the next, what of a judge shapes its requests."""
    label_in_one_token: bool = False

    @property
    def name(self) -> str:
        """Spec and decoding: two pins of one name ask alike."""
        decoding = f"temperature={self.temperature},seed={self.seed},api_base={self.api_base}"
        return f"{self.spec}|{decoding}"

    def opened(self) -> Judge:
        """The judge, ready to be asked.

        Raises:
            JudgeSpecError: The spec names no judge.
        """
        options = JudgeOptions(
            api_base=self.api_base,
            temperature=self.temperature,
            seed=self.seed,
            timeout_s=self.timeout_s,
        )
        return open_judge(self.spec, options)

    def stand_in(self) -> Judge:
        """The judge as it was pinned: makes the keys of stored replies, and answers nothing."""
        return PinnedJudge(self.spec, self.identity, self.gives_logprobs, self.label_in_one_token)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Wording, context form, reading, policy and judge: what turns claims into scores.

    Attributes:
        name: As shown: a release's reference, a template and policy, or a framework metric.
        variants: One wording per order of the labels; one only where nothing is rotated.
        policy: The scoring policy.
        threshold: Least score of an answer that passes, 0 to 1.
        judge: Who is asked.
        form: How the context reaches the judge.
        reading: How replies become labels.
        priors: Label priors frozen with the reading, one mapping a variant; None where the
            reading needs none, or takes them from the replies at hand.
    """

    name: str
    variants: tuple[Wording, ...]
    policy: Policy
    threshold: float
    judge: JudgePin
    form: ContextForm = RAW
    reading: Reading = "top"
    priors: tuple[Priors, ...] | None = None

    def trial(self, repeats: int = 1) -> Trial:
        """What of it is asked; the trial's judge is the pin's name."""
        return Trial(self.name, self.judge.name, self.variants, repeats, self.form)

    def sources(self, claims: Sequence[Claim]) -> tuple[tuple[PromptSource, ...], ...]:
        """The template of each claim, for each variant."""
        return tuple(
            tuple(wording.source_for(claim.lang) for claim in claims) for wording in self.variants
        )
