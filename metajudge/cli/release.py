"""`metajudge release`: make, find, verify, compare and hand out template releases."""

from __future__ import annotations

import typer

from metajudge.cli import release_create, release_diff, release_emit, release_list, release_verify
from metajudge.cli.guard import guarded

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
app.command("create")(guarded(release_create.create))
app.command("verify")(guarded(release_verify.verify))
app.command("list")(guarded(release_list.list_releases))
app.command("show")(guarded(release_list.show))
app.command("diff")(guarded(release_diff.diff))
app.command("emit")(guarded(release_emit.emit))
app.command("identify")(guarded(release_emit.identify))
app.command("promote")(guarded(release_list.promote))
app.command("deprecate")(guarded(release_list.deprecate))


@app.callback()
def _release() -> None:
    """Make, find, verify, compare and hand out template releases."""
