"""What `gold agree` tells, as records that become JSON as they are."""

from __future__ import annotations

from dataclasses import dataclass

from metajudge.agreement.drift import Drift
from metajudge.agreement.estimate import Estimate
from metajudge.agreement.speed import Speed
from metajudge.agreement.standing import Standing
from metajudge.labelling.disputed import Compared, Disputed


@dataclass(frozen=True, slots=True)
class Group:
    """Agreement of all annotators on one slice, language or domain, or on everything.

    Attributes:
        by: What the claims were grouped by; `all` for everything.
        value: Of the slice, language or domain; None for claims without one.
        claims: Claims with two labels or more.
        pairs: Share of pairs of labels of one claim that are equal.
        alpha: Krippendorff's alpha, nominal.
        ac1: Gwet's AC1.
        fleiss: Fleiss' kappa.
        given: Labels given on those claims.
        rare: Labels given so seldom that one disagreement may move alpha to 0.
    """

    by: str
    value: str | None
    claims: int
    pairs: Estimate
    alpha: Estimate
    ac1: Estimate
    fleiss: Estimate
    given: dict[str, int]
    rare: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two annotators on the claims that both labelled.

    Attributes:
        one: Name of one.
        other: Name of the other.
        claims: Claims that both labelled.
        agreement: Share of them with equal labels.
        kappa: Cohen's kappa.
    """

    one: str
    other: str
    claims: int
    agreement: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class Annotator:
    """One annotator beside the others.

    Attributes:
        name: Of the annotator.
        labels: Labels given.
        shared: Those on claims that somebody else labelled too.
        given: Labels given, by label.
        with_rest: Share of the others who gave the same label, mean over claims.
        with_majority: Share of claims with the label of most of the others.
        with_gold: Share of claims with the gold label.
        bias: By label: share among their labels minus share among the others' on the same claims.
        standing: Agreement against that of the others with each other.
        drift: Agreement in the order of time.
        speed: Seconds a label.
        flagged: Claims that they flagged, labelled or skipped.
        skipped: Claims that they skipped and did not label; None where no log is kept.
        error_rates: By true label, the rates of each label given, as the model of Dawid and Skene
            has them; None where there is no model.
    """

    name: str
    labels: int
    shared: int
    given: dict[str, int]
    with_rest: Estimate
    with_majority: Estimate
    with_gold: Estimate
    bias: dict[str, Estimate]
    standing: Standing
    drift: Drift
    speed: Speed
    flagged: int
    skipped: int | None
    error_rates: dict[str, dict[str, float]] | None


@dataclass(frozen=True, slots=True)
class Model:
    """The model of Dawid and Skene, as it was fitted.

    Attributes:
        prior: Estimated share of each true label.
        smoothing: Labels added to each cell.
        iterations: Of expectation-maximisation.
        converged: Whether they were enough.
        log_likelihood: Of the labels, in nats.
    """

    prior: dict[str, float]
    smoothing: float
    iterations: int
    converged: bool
    log_likelihood: float


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """What `gold agree` tells.

    Attributes:
        name: Of the gold set.
        version: Of the gold set.
        labels: The label space.
        claims: Claims that are not excluded.
        labelled: Those with a label of an annotator.
        shared: Those with labels of two or more.
        contexts: Contexts of the shared claims.
        pending: Claims that wait for a gold label.
        settled: Claims that somebody settled by name and that nothing has reopened since.
        set_aside: Labels that do not count, as the labelling policy changed for their claim and it
            has a later label.
        alike_names: Names that differ in case, width, blanks or invisible signs only.
        level: Coverage of the intervals.
        resamples: Resamples of contexts.
        seed: Of the resamples.
        missing: What is missing for agreement to be measured; None where nothing is.
        overall: All claims.
        groups: By slice, language, domain.
        pairs: Pairs of annotators with a common claim.
        pairs_apart: Pairs without one.
        annotators: In the order of the manifest.
        disputed: Claims that need somebody to settle them.
        disputed_by_reason: Their number by the most pressing reason.
        model: The model of Dawid and Skene; None where it cannot be fitted.
        no_model: Why it cannot; None where it can.
        compared: Majority, model and gold side by side.
    """

    name: str
    version: str
    labels: tuple[str, ...]
    claims: int
    labelled: int
    shared: int
    contexts: int
    pending: int
    settled: int
    set_aside: int
    alike_names: tuple[tuple[str, ...], ...]
    level: float
    resamples: int
    seed: int
    missing: str | None
    overall: Group
    groups: tuple[Group, ...]
    pairs: tuple[Pair, ...]
    pairs_apart: int
    annotators: tuple[Annotator, ...]
    disputed: tuple[Disputed, ...]
    disputed_by_reason: dict[str, int]
    model: Model | None
    no_model: str | None
    compared: tuple[Compared, ...]
