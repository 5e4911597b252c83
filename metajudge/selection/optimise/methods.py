"""DSPy's optimisers on one template. Imported only where one runs, since DSPy is heavy.

Whatever DSPy prints, logs, caches or keeps in its settings stays inside `run_optimiser`.
"""

from __future__ import annotations

import io
import logging
import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from typing import Any

import dspy
from dspy.teleprompt.gepa import InstructionProposer
from gepa.utils.stop_condition import MaxCandidateProposalsStopper

from metajudge.errors import ExperimentError, Problem
from metajudge.gold.claim import Claim
from metajudge.gold.goldset import GoldSet
from metajudge.judges.program import INPUTS, Ask, JudgeAdapter, VerdictProgram, example_of
from metajudge.judges.proposing import ProposerEngine, proposer_model
from metajudge.selection.optimise.rows import RowScores, Scored
from metajudge.selection.optimise.spec import Optimiser
from metajudge.templates.dialect import LabelName
from metajudge.templates.proposals import Proposals

NOT_HAD = "a proposal could not be had"
"""How a note begins on a proposal that GEPA passed over."""
_RIGHT = 1.0
_LABELS: dict[str, LabelName] = {"yes": "yes", "no": "no", "idk": "idk", "supported": "yes"}


@dataclass(frozen=True, slots=True)
class Ground:
    """What an optimiser works on.

    Attributes:
        proposals: Takes up what is proposed; its start is what is improved.
        ask: Asks the judge.
        scores: Scores rows.
        train: Claims to learn from; examples are taken from them.
        validation: Claims that an optimiser may judge its own proposals on.
        proposer: Writes instructions; None where nothing is written.
        draws: Whether another rollout is another draw of the judge.
        notes: Filled with what there is to know about the run, and how often it happened.
    """

    proposals: Proposals
    ask: Ask
    scores: RowScores
    train: GoldSet
    validation: GoldSet
    proposer: ProposerEngine | None
    draws: bool
    notes: Counter[str] = field(default_factory=Counter)


def tool_version() -> str:
    """Versions of what optimises."""
    from importlib.metadata import version

    return f"{version('dspy')} (gepa {version('gepa')}, optuna {version('optuna')})"


def run_optimiser(optimiser: Optimiser, ground: Ground) -> str | None:
    """Let an optimiser propose; what it proposes is in `ground.proposals` afterwards.

    Its own choice is not looked at. An optimiser that ends in an error has proposed what it has
    proposed; the error is in `ground.notes`, and what is returned; None where there was none.

    Raises:
        ExperimentError: This version of DSPy proposes in another way.
        BaseException: What `ground.ask` raises beside `Exception`, once no more can be asked.
    """
    if optimiser.method == "miprov2" and not hasattr(dspy.MIPROv2, "_propose_instructions"):
        raise _other_version(optimiser.tool)
    ended = None
    with _inside(optimiser, _Heard(ground.notes)) as printed:
        try:
            _METHODS[optimiser.method](optimiser, ground, _Rows(ground))
        except ExperimentError:
            raise
        except Exception as error:  # noqa: BLE001 - what was proposed before must not be lost
            ended = f"{optimiser.tool} ended in {type(error).__name__}: {_line(error)}"
            ground.notes[ended] += 1
        finally:
            said = printed.getvalue().splitlines()
            ground.notes.update(_line(line) for line in said if line.startswith("Error"))
    return ended


def _other_version(tool: str) -> ExperimentError:
    law = f"what {tool} proposes is taken up where DSPy 3.4 makes it, and this version does not"
    mend = "Install a version of DSPy that metajudge declares, or use another method."
    return ExperimentError(Problem("optimiser", law, mend, got=tool_version()))


class _Rows:
    """Gold claims as DSPy's examples, and the metric over them."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._claims = {
            claim.claim_id: claim
            for gold in (ground.train, ground.validation)
            for claim in gold.claims
        }
        self.train = self._examples(ground.train)
        self.validation = self._examples(ground.validation)
        self.program = VerdictProgram(
            ground.proposals, JudgeAdapter(ground.proposals, ground.ask, draws=ground.draws)
        )
        self.teacher = self.program.deepcopy()
        # DSPy would show the teacher labelled examples first. It answers as the start does.
        self.teacher._compiled = True

    @property
    def labelled(self) -> bool:
        """Whether every claim that is learned from can stand as an example."""
        return all(example.verdict is not None for example in self.train)

    def score(self, example: Any, prediction: Any, trace: Any = None) -> float:
        """The score of a row."""
        return self._scored(example, prediction).score

    def told(
        self,
        example: Any,
        prediction: Any,
        trace: Any = None,
        pred_name: Any = None,
        pred_trace: Any = None,
    ) -> Any:
        """The score of a row with feedback."""
        return dspy.Prediction(**self._scored(example, prediction)._asdict())

    def _scored(self, example: Any, prediction: Any) -> Scored:
        said = prediction.verdict.said
        claim = self._claims[example.claim_id]
        scores, number = self._ground.scores, said.proposal.number
        if said.verdict is None:
            why = "; ".join(problem.law for problem in said.proposal.refused)
            return scores.refused(why)
        return scores.scored(number, claim, said.verdict, str(prediction.verdict))

    def _examples(self, gold: GoldSet) -> list[Any]:
        words = self._ground.proposals.start.dialect.words
        return [
            dspy.Example(
                passages=list(gold.passages(claim)),
                claim=claim.claim,
                question=claim.question,
                verdict=_word(claim, words),
                reason=claim.note,
                claim_id=claim.claim_id,
            ).with_inputs(*INPUTS)
            for claim in gold.claims
        ]


def _word(claim: Claim, words: dict[LabelName, str]) -> str | None:
    """The gold label in the dialect's words; None where the label space has no such label."""
    label = _LABELS.get(claim.label)
    return None if label is None else words.get(label)


def _gepa(optimiser: Optimiser, ground: Ground, rows: _Rows) -> None:
    minibatch = min(optimiser.minibatch, len(rows.train))
    most = optimiser.rounds * (2 * minibatch + len(rows.validation)) + len(rows.validation)
    dspy.GEPA(
        metric=rows.told,
        max_metric_calls=most,
        reflection_minibatch_size=minibatch,
        reflection_lm=_proposer(ground),
        instruction_proposer=_HeardProposer(ground.notes),
        use_merge=False,
        num_threads=optimiser.threads,
        warn_on_score_mismatch=False,
        seed=optimiser.seed,
        gepa_kwargs={"stop_callbacks": [MaxCandidateProposalsStopper(optimiser.rounds)]},
    ).compile(rows.program, trainset=rows.train, valset=rows.validation)


def _miprov2(optimiser: Optimiser, ground: Ground, rows: _Rows) -> None:
    instructions = optimiser.rounds + 1
    _AllProposed(
        ground.proposals,
        metric=rows.score,
        metric_threshold=_RIGHT,
        prompt_model=_proposer(ground),
        task_model=dspy.settings.lm,
        auto=None,
        num_candidates=instructions,
        num_threads=optimiser.threads,
        seed=optimiser.seed,
        track_stats=False,
    ).compile(
        rows.program,
        teacher=rows.teacher,
        trainset=rows.train,
        valset=rows.validation,
        num_trials=2 * instructions,
        max_bootstrapped_demos=optimiser.examples,
        max_labeled_demos=optimiser.examples if rows.labelled else 0,
        minibatch=False,
        program_aware_proposer=False,
        data_aware_proposer=optimiser.data_summary,
        fewshot_aware_proposer=optimiser.examples > 0,
    )


def _simba(optimiser: Optimiser, ground: Ground, rows: _Rows) -> None:
    dspy.SIMBA(
        metric=rows.told,
        bsize=min(optimiser.minibatch, len(rows.train)),
        num_candidates=optimiser.candidates,
        max_steps=optimiser.rounds,
        max_demos=optimiser.examples,
        prompt_model=_proposer(ground),
        num_threads=optimiser.threads,
    ).compile(rows.program, trainset=rows.train, seed=optimiser.seed)


def _bootstrap(optimiser: Optimiser, ground: Ground, rows: _Rows) -> None:
    for number in range(optimiser.rounds):
        train = list(rows.train)
        if number:
            random.Random(f"{optimiser.seed}/{number}").shuffle(train)
        made = dspy.BootstrapFewShot(
            metric=rows.score,
            metric_threshold=_RIGHT,
            max_bootstrapped_demos=optimiser.examples,
            max_labeled_demos=optimiser.examples if rows.labelled else 0,
        ).compile(rows.program, teacher=rows.teacher, trainset=train)
        start = ground.proposals.start
        shown = [example_of(demo, start) for demo in made.verdict.demos]
        ground.proposals.proposal(made.verdict.signature.instructions, shown)


_METHODS: dict[str, Callable[[Optimiser, Ground, _Rows], None]] = {
    "gepa": _gepa,
    "miprov2": _miprov2,
    "simba": _simba,
    "bootstrap": _bootstrap,
}


class _AllProposed(dspy.MIPROv2):  # type: ignore[misc]
    """MIPROv2 that has every instruction taken up, also those that its trials never come to."""

    def __init__(self, proposals: Proposals, **options: Any) -> None:
        super().__init__(**options)
        self._proposals = proposals

    def _propose_instructions(self, *arguments: Any, **options: Any) -> Any:
        proposed = super()._propose_instructions(*arguments, **options)
        texts = proposed.get(0) if isinstance(proposed, dict) else None
        if not texts or not all(isinstance(text, str) for text in texts):
            raise _other_version("dspy.MIPROv2")
        for text in texts:
            self._proposals.proposal(text, ())
        return proposed


class _HeardProposer(InstructionProposer):  # type: ignore[misc]
    """GEPA's own proposer; GEPA passes over a proposal that cannot be had, and this tells it."""

    def __init__(self, notes: Counter[str]) -> None:
        super().__init__()
        self._notes = notes

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        try:
            return super().__call__(*arguments, **options)
        except Exception as error:
            self._notes[f"{NOT_HAD}: {_line(error)}"] += 1
            raise


class _Heard(logging.Handler):
    """Collects what DSPy only logs: rounds that failed, proposals that were dropped."""

    def __init__(self, notes: Counter[str]) -> None:
        super().__init__(logging.ERROR)
        self._notes = notes

    def emit(self, record: logging.LogRecord) -> None:
        """Take up one line."""
        self._notes[f"DSPy: {_line(record.getMessage())}"] += 1


class _NeverAsked:
    """Stands for the judge where DSPy wants a model: the judge is asked by the adapter."""

    def __deepcopy__(self, memo: dict[int, Any]) -> _NeverAsked:
        return self

    def complete(self, request: Any) -> Any:
        """Refuse."""
        raise NotImplementedError("the judge is asked with the template's own prompts")


def _proposer(ground: Ground) -> Any:
    assert ground.proposer is not None, "checked before an optimiser is run"
    return proposer_model(ground.proposer)


@contextmanager
def _inside(optimiser: Optimiser, heard: _Heard) -> Iterator[io.StringIO]:
    """DSPy's settings, output, log, warnings and randomness, all put back at the end."""
    import optuna

    optuna_log = logging.getLogger("optuna")
    spoken = optuna_log.handlers[:], optuna_log.propagate
    printed, log = io.StringIO(), logging.getLogger("dspy")
    known, verbosity = random.getstate(), optuna.logging.get_verbosity()
    judge = dspy.LM("metajudge/judge", engine=_NeverAsked(), cache=False, num_retries=0)
    log.addHandler(heard)
    optuna_log.handlers[:], optuna_log.propagate = [logging.NullHandler()], False
    random.seed(optimiser.seed)
    try:
        with (
            dspy.context(
                lm=judge,
                adapter=dspy.ChatAdapter(),
                callbacks=[],
                trace=[],
                disable_history=True,
                track_usage=False,
                num_threads=optimiser.threads,
                max_errors=10**9,
            ),
            warnings.catch_warnings(),
            redirect_stdout(printed),
            redirect_stderr(io.StringIO()),
        ):
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            yield printed
    finally:
        random.setstate(known)
        optuna.logging.set_verbosity(verbosity)
        log.removeHandler(heard)
        optuna_log.handlers[:], optuna_log.propagate = spoken


def _line(text: object, most: int = 200) -> str:
    """A message as one line of bounded length."""
    line = " ".join(str(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"
