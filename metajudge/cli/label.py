"""`metajudge label`: the page on which people label a gold set."""

from __future__ import annotations

import sys
import tempfile
import unicodedata
import webbrowser
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.output import ReportLanguage, inert, say, tell
from metajudge.counted import counted
from metajudge.errors import GoldError, InputError, Problem

if TYPE_CHECKING:
    from metajudge.labelling.desk import Desk
    from metajudge.labelling.folder import GoldFolder
    from metajudge.labelling.place import Place
    from metajudge.labelling.sitting import Sitting, Work

TOKEN_VARIABLE = "METAJUDGE_LABEL_TOKEN"
_WHERE = "command line"
MOST_NAMES = 8


class OnlyClaims(Enum):
    """Which claims are offered."""

    pending = "pending"
    relabel = "relabel"
    all = "all"


FolderArgument = Annotated[
    Path, typer.Argument(metavar="GOLD", help="Folder of the gold set.", show_default=False)
]
AsOption = Annotated[str, typer.Option("--as", metavar="NAME", help="Who labels.")]
OrderOption = Annotated[
    Path | None,
    typer.Option("--order", metavar="FILE", help="Only these claims, in this order (gold next)."),
]
OnlyOption = Annotated[
    OnlyClaims,
    typer.Option(
        "--only",
        help="pending: claims without a label, and labels that a changed policy concerns; relabel: "
        "those alone; all: every claim that you have not labelled.",
    ),
]
DoubleOption = Annotated[
    float | None,
    typer.Option(
        "--double",
        metavar="SHARE",
        help="Label this share (0 to 1) of the claims that others labelled, without sight of it.",
        show_default=False,
    ),
]
AdjudicateOption = Annotated[
    bool, typer.Option("--adjudicate", help="Settle claims with different labels or a flag.")
]
DisagreementsOption = Annotated[
    Path | None,
    typer.Option(
        "--disagreements", metavar="RUN", help="Look at verdicts of a sweep that differ from gold."
    ),
]
ShowOption = Annotated[
    Path | None,
    typer.Option(
        "--show-verdicts", metavar="RUN", help="Show verdicts of a sweep once a label is saved."
    ),
]
TrialOption = Annotated[
    list[str] | None,
    typer.Option(
        "--trial",
        help="Verdicts of this trial, by name or row; repeatable.  "
        "[default: the winner, else the first row]",
        show_default=False,
    ),
]
PortOption = Annotated[
    int | None,
    typer.Option(
        "--port",
        min=0,
        max=65535,
        help="0: any free one.  [default: the last one, or the first free from 8321]",
    ),
]
HostOption = Annotated[
    str, typer.Option("--host", help="Address to listen on; beyond this machine with --token.")
]
TokenOption = Annotated[
    str | None,
    typer.Option(
        "--token",
        envvar=TOKEN_VARIABLE,
        help="What people type to come in, 16 characters or more; better in the variable, since "
        "a command line can be seen.",
        show_default=False,
    ),
]
LangOption = Annotated[ReportLanguage, typer.Option("--lang", help="Language of the page.")]


def label(
    folder: FolderArgument,
    name: AsOption,
    *,
    only: OnlyOption = OnlyClaims.pending,
    order: OrderOption = None,
    double: DoubleOption = None,
    adjudicate: AdjudicateOption = False,
    disagreements: DisagreementsOption = None,
    show_verdicts: ShowOption = None,
    trial: TrialOption = None,
    port: PortOption = None,
    host: HostOption = "127.0.0.1",
    token: TokenOption = None,
    lang: LangOption = ReportLanguage.en,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Open no browser.")] = False,
) -> None:
    """Label claims on a page in the browser, served on this machine.

    Every label is on disk before the next claim is shown, in annotations/ of the gold folder. The
    same command goes on where it stopped. Without an option, claims that wait for a label; one of
    --double, --adjudicate and --disagreements does something else. Ctrl+C ends the server.
    """
    from metajudge.cli.label_verdicts import with_verdicts
    from metajudge.labelling.desk import Desk
    from metajudge.labelling.place import Place, host_problems
    from metajudge.labelling.serve import listen, make_server
    from metajudge.labelling.site import labelling_site
    from metajudge.labelling.sitting import Sitting, name_problems

    name = unicodedata.normalize("NFC", name)
    works = {"double": double is not None, "adjudicate": adjudicate}
    named = [work for work, wanted in works.items() if wanted]
    problems = [
        *name_problems(name),
        *_work_problems(named, disagreements, double, only, show_verdicts),
        *host_problems(host, token),
    ]
    if problems:
        raise InputError(problems)
    sitting = Sitting(name, work=_work(named), only=only.value, share=double or 1.0)
    gold = _opened(folder, name)
    sitting = _ordered(sitting, order, gold)
    sitting = with_verdicts(sitting, gold, disagreements, show_verdicts, trial)
    desk = Desk(gold, sitting)
    place = Place(folder, name, host=host, token=token, opened=_say_opened)
    server = make_server(labelling_site(desk, place.door, lang.code))
    with listen(host, port, place.port) as listening:
        if not place.listens_at(listening):
            tell("the cache cannot be written: open windows will not work after a restart.")
        _say_start(desk, place)
        if not no_browser:
            webbrowser.open(place.address())
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listening])
    _say_end(desk)


def _work(named: list[str]) -> Work:
    if "adjudicate" in named:
        return "adjudicate"
    return "double" if named else "label"


def _work_problems(
    named: list[str],
    disagreements: Path | None,
    share: float | None,
    only: OnlyClaims,
    show: Path | None,
) -> list[Problem]:
    """What does not go together in a command line."""
    options = [f"--{name}" for name in named]
    options += ["--disagreements"] if disagreements is not None else []
    problems = []
    if len(options) > 1:
        got = " ".join(options)
        problems.append(Problem(_WHERE, "one kind of work at a time", "Leave one out.", got=got))
    if share is not None and not 0 < share <= 1:
        law, mend = "a share is above 0 and at most 1", "1 takes every claim."
        problems.append(Problem(_WHERE, law, mend, field="--double", got=str(share)))
    if only is not OnlyClaims.pending and options:
        law, mend = "--only chooses among claims to be labelled", "Leave it out."
        problems.append(Problem(_WHERE, law, mend, field="--only", got=options[0]))
    if show is not None and options and options != ["--double"]:
        law, mend = "verdicts are shown after a label, which nobody gives here", "Leave it out."
        problems.append(Problem(_WHERE, law, mend, field="--show-verdicts", got=options[0]))
    return problems


def _opened(folder: Path, name: str) -> GoldFolder:
    """The gold folder, proved to be readable and writable."""
    from metajudge.gold.events import events_file
    from metajudge.gold.goldset import MANIFEST
    from metajudge.labelling.folder import GoldFolder, check_own_log

    if not (folder / MANIFEST).is_file():
        law = f"labels are kept in the folder of a gold set, and there is no {MANIFEST}"
        mend = "Name such a folder; `metajudge gold import` makes one of a table."
        raise GoldError(Problem(str(folder), law, mend))
    gold = GoldFolder(folder)
    log = events_file(folder, name)
    try:
        check_own_log(folder, name)
        with tempfile.TemporaryFile(dir=log.parent if log.parent.exists() else folder):
            pass
        if log.exists():
            log.open("ab").close()
    except OSError as error:
        law = f"labels cannot be written here: {error.strerror or type(error).__name__}"
        raise GoldError(Problem(str(log), law, "Make the folder writable.")) from error
    return gold


def _ordered(sitting: Sitting, order: Path | None, gold: GoldFolder) -> Sitting:
    from metajudge.labelling.sitting import read_order

    return sitting if order is None else replace(sitting, order=read_order(order, gold.claims))


def _say_start(desk: Desk, place: Place) -> None:
    manifest, progress = desk.folder.base.manifest, desk.queue.progress()
    title = f"{inert(manifest.name)} {inert(manifest.version)}"
    waits = counted(progress.waiting, "claims wait")
    skipped = f", {len(progress.skipped)} skipped" if progress.skipped else ""
    _say_who_is_new(desk)
    say(f"{title}: {waits} for {inert(desk.sitting.annotator)}, {progress.done} done{skipped}")
    order = desk.sitting.order
    if order is not None and len(order) > progress.total:
        out = len(order) - progress.total
        say(
            f"{out} of the {counted(len(order), 'claims')} of the queue "
            f"{'is' if out == 1 else 'are'} labelled already; see --only all"
        )
    if desk.sitting.left_out:
        say(f"not shown: {counted(desk.sitting.left_out, 'verdicts')} of sealed test claims")
    if not progress.waiting:
        say("nothing waits; the page says what to do next")
    if place.door.is_open:
        tell("the page is not encrypted: use it in a network that you trust.")
    say("Open this address; Ctrl+C ends the server:")
    say(f"  {place.address()}")
    sys.stdout.flush()


def _say_who_is_new(desk: Desk) -> None:
    """Tells of a name that the folder does not know: it may be a known one, mistyped."""
    folder, name = desk.folder, desk.sitting.annotator
    notes = (note for claim in folder.claims.values() for note in claim.annotations)
    acts = (act for of_claim in folder.acts.values() for act in of_claim)
    known = {*folder.base.manifest.annotators, *(entry.annotator for entry in (*notes, *acts))}
    if not known or name in known:
        return
    shown = [inert(other) for other in sorted(known)]
    more = f" and {len(shown) - MOST_NAMES} more" if len(shown) > MOST_NAMES else ""
    say(f"new annotator {inert(name)}; known: {', '.join(shown[:MOST_NAMES])}{more}")


def _say_opened(address: str) -> None:
    say("opened. For another browser:")
    say(f"  {address}")
    sys.stdout.flush()


def _say_end(desk: Desk) -> None:
    progress = desk.queue.progress()
    say(f"ended; {progress.done} done, {progress.waiting} wait. The same command goes on.")
