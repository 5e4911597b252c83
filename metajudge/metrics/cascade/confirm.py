"""The miss rate of a fitted cascade on the sealed test half, read once and put on record."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metajudge.errors import InputError, Problem
from metajudge.gold.goldset import GoldSet, load_goldset
from metajudge.gold.ledger import read_ledger, sealed, unlabelled, unseal
from metajudge.metrics.cascade.asked import CallSettings, open_judges
from metajudge.metrics.cascade.cascade_file import Cascade
from metajudge.metrics.cascade.cut_offs import loss_at, risk_of
from metajudge.metrics.cascade.risk import upper_limit
from metajudge.metrics.cascade.run import Work, opened
from metajudge.metrics.cascade.sides import check_no_loop, labelled
from metajudge.runner.call import RunReport
from metajudge.runner.recording import load_recording
from metajudge.runner.store import Store
from metajudge.version import __version__


class Confirmed(NamedTuple):
    """The cascade on claims that its cut-offs were not chosen on.

    Attributes:
        missed: Mean share missed over contexts; None where no label was read, or test has no
            unsupported claim (or answer) that could be missed.
        upper: Its upper limit at the cascade's confidence.
        contexts: Test contexts with an unsupported claim (or answer).
        reads: How often the ledger says that test labels were read.
        stopped: The account of a run that ended early; then no label was read.
    """

    missed: float | None
    upper: float | None
    contexts: int
    reads: int
    stopped: RunReport | None

    def holds(self, cascade: Cascade) -> bool:
        """Whether the rate on test is at most the one promised.

        The promise rests on the dev half; this is a second, independent look at it.
        """
        return self.missed is not None and self.missed <= cascade.guarantee.miss_rate


def confirm_cascade(
    cascade: Cascade,
    gold: str | Path,
    calls: CallSettings | None = None,
    registry: str | Path | None = None,
) -> Confirmed:
    """The miss rate on the sealed test half; the read is on record before a label is seen.

    Claims are asked about first, without labels, so that a judge which is down costs no read.

    Args:
        cascade: From `read_cascade`.
        gold: Folder of the gold set that it was fitted on.
        calls: Store, budget, observer.
        registry: Folder of the registry, for a judge that is a release.

    Raises:
        GoldError: There is no test half, or the read cannot be recorded.
        InputError: The gold set is another one, or was changed since the fit.
    """
    check_no_loop("confirm_cascade")
    calls = calls or CallSettings()
    bare = unlabelled(gold).judged()
    _check_same(cascade, gold, bare)
    stages = opened(cascade, registry)
    with Store(calls.store) as store, open_judges() as judge_of:
        for path in calls.recordings:
            load_recording(store, path)
        work = Work(cascade, stages, store, calls, judge_of)
        screened, _, judged = work.scores(bare)
    stopped = next((report for report in work.reports if report.stopped), None)
    if stopped is not None:
        return Confirmed(None, None, 0, len(read_ledger(gold)), stopped)
    sha256 = hashlib.sha256(cascade.model_dump_json().encode("utf-8")).hexdigest()
    test = unseal(
        gold,
        purpose="confirm",
        experiment=f"cascade {cascade.name}",
        experiment_sha256=sha256,
        candidates=[f"{cascade.screen.spec} -> {cascade.judge.spec}"],
        package_version=__version__,
    ).judged()
    risk = risk_of(labelled(test, screened, judged), cascade.screen.cut, cascade.unit)
    reads = len(read_ledger(gold))
    if not risk.n_contexts:
        return Confirmed(None, None, 0, reads, None)
    missed = loss_at(risk, cascade.judge.cut)
    delta = 1 - cascade.guarantee.confidence
    upper = upper_limit(missed, risk.n_contexts, delta, risk.test)
    return Confirmed(float(np.round(missed, 6)), upper, risk.n_contexts, reads, None)


def _check_same(cascade: Cascade, gold: str | Path, bare: GoldSet) -> None:
    """Nothing of the set, labels of either half included, is other than at the fit."""
    fitted = cascade.gold
    if bare.manifest.metric != fitted.metric or bare.manifest.name != fitted.name:
        law = f"a cascade is confirmed on the set that it was fitted on, {fitted.name}"
        raise InputError(Problem(str(gold), law, "Name that set.", got=bare.manifest.name))
    whole = load_goldset(gold)
    for half, was, now in (
        ("the dev half", fitted.sha256, sealed(whole).judged().sha256),
        ("the set", fitted.whole_sha256, whole.sha256),
    ):
        if was != now:
            law = f"{half} is what it was when the cut-offs were fitted, of hash {was}"
            mend = "Get that version of it, or fit again on it as it is now."
            raise InputError(Problem(str(gold), law, mend, field="sha256", got=now))
