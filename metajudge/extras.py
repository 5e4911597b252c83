"""What optional parts need, by the names of the packages themselves.

On the public package index the name `metajudge` belongs to another project, so no message may tell
anybody to install `metajudge[…]` from there.
"""

from __future__ import annotations

import re
from importlib import metadata

_EXTRA = re.compile(r"""^(?P<need>[^;]+);.*\bextra\s*==\s*["'](?P<extra>[\w-]+)["']""")


def install_command(extra: str) -> str:
    """The pip command that gets what an extra needs; of the extra itself where it declares none.

    >>> install_command("local").startswith("pip install 'xllamacpp")
    True
    """
    try:
        declared = metadata.requires("metajudge") or []
    except metadata.PackageNotFoundError:
        declared = []
    found = [
        match for line in declared if (match := _EXTRA.match(line)) and match["extra"] == extra
    ]
    needs = [match["need"].strip() for match in found] or [extra]
    return "pip install " + " ".join(f"'{need}'" for need in needs)
