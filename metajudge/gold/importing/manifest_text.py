"""`goldset.yaml` with another manifest in it; what people wrote beside the fields stays."""

from __future__ import annotations

import textwrap

import yaml

from metajudge.errors import GoldError
from metajudge.gold.claim import GoldManifest
from metajudge.gold.strict_yaml import dump_yaml, parse_yaml
from metajudge.gold.yaml_edit import with_fields

_ROOT, _INDENT = "set", "  "


def with_manifest(text: str, manifest: GoldManifest) -> str:
    r"""The text of a `goldset.yaml` made to say what a manifest says, with its comments.

    Fields that are as they were stay as they stand; where a field goes away, or the file is no
    plain block of fields, it is written anew.

    >>> text = "name: tea  # ours\nversion: '1'\nlanguages: [en]\nlicence: none\n"
    >>> text += "labelling_policy: {version: '1'}\nprovenance: tests\nlabel_source: human\n"
    >>> manifest = parse_yaml(text, "goldset.yaml", GoldManifest, GoldError)
    >>> with_manifest(text, manifest.model_copy(update={"version": "2"}))[:30]
    "name: tea  # ours\nversion: '2'"
    """
    wanted = manifest.model_dump(mode="json", exclude_defaults=True)
    before = parse_yaml(text, "goldset.yaml", GoldManifest, GoldError).model_dump(
        mode="json", exclude_defaults=True
    )
    changes = {name: value for name, value in wanted.items() if before.get(name) != value}
    if not changes and before.keys() <= wanted.keys():
        return text
    try:
        wrapped = with_fields(f"{_ROOT}:\n{textwrap.indent(text, _INDENT)}", _ROOT, changes)
        lines = (wrapped or "").splitlines(keepends=True)[1:]
        edited = "".join(line.removeprefix(_INDENT) for line in lines)
        if edited and parse_yaml(edited, "goldset.yaml", GoldManifest, GoldError) == manifest:
            return edited if edited.endswith("\n") else f"{edited}\n"
    except (GoldError, yaml.YAMLError):
        pass
    return dump_yaml(wanted)
