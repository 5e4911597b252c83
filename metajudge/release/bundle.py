"""A release on disk, read and ready to be applied."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metajudge.errors import Problem, ReleaseError
from metajudge.gold.setting_names import check_names
from metajudge.gold.strict_yaml import read_yaml
from metajudge.judges.spec import spec_beside
from metajudge.release.candidate import Candidate
from metajudge.release.manifest import MANIFEST, NEVER_EDITED, SUMS, Manifest
from metajudge.scoring.policies import parse_policy
from metajudge.selection.readings import Priors
from metajudge.templates.catalogue import Wording, read_template
from metajudge.templates.context_form import parse_context_form
from metajudge.templates.reading_names import reading_named
from metajudge.templates.source import PromptSource

if TYPE_CHECKING:
    from metajudge.release.answers_file import AnswersSource
    from metajudge.release.judged import Judged


@dataclass(frozen=True, repr=False)
class Release:
    """A release: its folder and what its manifest says.

    Attributes:
        folder: Where it is.
        manifest: `release.yaml`.
    """

    folder: Path
    manifest: Manifest

    def __repr__(self) -> str:
        return f"Release({self.ref}, {self.manifest.policy.name}, {self.manifest.judge.spec})"

    @property
    def ref(self) -> str:
        """`name@version`."""
        return self.manifest.ref

    @cached_property
    def sha256(self) -> str:
        """SHA-256 in hex of `SHA256SUMS`, and so of every file of the release.

        Raises:
            ReleaseError: The file is missing.
        """
        try:
            return hashlib.sha256((self.folder / SUMS).read_bytes()).hexdigest()
        except OSError as error:
            law = (
                f"the sums of the release cannot be read: {error.strerror or type(error).__name__}"
            )
            raise ReleaseError(Problem(str(self.folder / SUMS), law, NEVER_EDITED)) from error

    @cached_property
    def candidate(self) -> Candidate:
        """What it asks, how it reads and scores.

        Raises:
            InputError: A template, the policy or the context form is faulty.
        """
        manifest = self.manifest
        count = 1 + max(pin.variant for pin in manifest.templates)
        languages: list[dict[str, PromptSource]] = [{} for _ in range(count)]
        priors: list[dict[str, tuple[float, float, float]]] = [{} for _ in range(count)]
        for pin in manifest.templates:
            template = read_template(self.folder / pin.file)
            languages[pin.variant][pin.language] = template
            if pin.prior is not None:
                priors[pin.variant][template.fingerprint] = pin.prior
        spec = spec_beside(manifest.judge.spec, self.folder)
        divides = reading_named(manifest.reading).divides_prior
        frozen: tuple[Priors, ...] | None = tuple(priors) if divides else None
        return Candidate(
            name=manifest.ref,
            variants=tuple(Wording(manifest.name, spoken) for spoken in languages),
            policy=parse_policy(manifest.policy.name),
            threshold=manifest.policy.threshold,
            judge=manifest.judge.model_copy(update={"spec": spec}),
            form=parse_context_form(manifest.context_form, str(self.folder / MANIFEST)),
            reading=manifest.reading,
            priors=frozen,
        )

    def judge(self, answers: AnswersSource, **settings: Any) -> Judged:
        """Scores of answers under the release.

        >>> release = read_release("experiments/releases/x/1.0.0")  # doctest: +SKIP
        >>> release.judge("answers.jsonl", repeats=3).scores  # doctest: +SKIP

        Args:
            answers: A path, an `hf:` name, a list of mappings, a pandas `DataFrame` or a
                `datasets` object, see `release.answers_file.read_answers`.
            **settings: See `release.application.JudgeSettings`: `store`, `recordings`, `judge`,
                `api_base`, `threshold`, `claims`, `extraction_repeats`, `extraction_temperature`,
                `repeats`, `budget`, `observer`.

        Raises:
            InputError: The answers, a setting or the release are faulty, with every fault.
            MetajudgeError: An event loop is running in this thread: use `judge_async`.
            StoreError: The store cannot be used.
        """
        from metajudge.release.application import JudgeSettings
        from metajudge.release.apply import judge_answers

        check_names("judge", settings, JudgeSettings)
        return judge_answers(self, answers, JudgeSettings(**settings))

    async def judge_async(self, answers: AnswersSource, **settings: Any) -> Judged:
        """`judge` for programs with an event loop: notebooks and web services."""
        from metajudge.release.application import JudgeSettings
        from metajudge.release.apply import judge_answers_async

        check_names("judge", settings, JudgeSettings)
        return await judge_answers_async(self, answers, JudgeSettings(**settings))


def read_release(folder: str | Path) -> Release:
    """The release in a folder; `metajudge.release.verify` says whether it is whole.

    Raises:
        ReleaseError: There is none, or its manifest is faulty.
    """
    place = Path(folder)
    manifest = place / MANIFEST
    if manifest.exists() and not manifest.is_file():
        raise ReleaseError(Problem(str(manifest), "the manifest must be a file", NEVER_EDITED))
    return Release(place, read_yaml(manifest, Manifest, ReleaseError))


def load_release(ref: str | Path, registry: str | Path | None = None) -> Release:
    """The release that a reference points to.

    Args:
        ref: `name@1.2.0`, `name@1.2`, `name@1`, `name@latest`, `name`, or the path of a folder.
        registry: Folder of the registry; None takes `METAJUDGE_REGISTRY`, else
            `experiments/releases` of the working folder, else the one that comes with the project.

    Raises:
        ReleaseError: There is no such release, or the registry does not vouch for its files.
    """
    from metajudge.release.registry import resolve

    return resolve(str(ref), registry)
