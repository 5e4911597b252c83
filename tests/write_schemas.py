"""Writes the published JSON schemas anew: python -m tests.write_schemas."""

from __future__ import annotations

import json
from pathlib import Path

from metajudge.experiment.config import ExperimentConfig
from metajudge.metrics.gate.suite import Suite
from metajudge.report.consult_file import consult_schema
from metajudge.report.results_file import results_schema
from metajudge.report.search_file import optimise_schema, race_schema, search_schema
from metajudge.report.tune_file import tune_schema

FOLDER = Path(__file__).parent.parent / "docs" / "schema"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    schemas = {
        "results.schema.json": results_schema(),
        "consult.schema.json": consult_schema(),
        "gate.schema.json": Suite.model_json_schema(),
        "experiment.schema.json": ExperimentConfig.model_json_schema(by_alias=True),
        "search.schema.json": search_schema(),
        "race.schema.json": race_schema(),
        "optimise.schema.json": optimise_schema(),
        "tune.schema.json": tune_schema(),
    }
    for name, schema in schemas.items():
        text = json.dumps(schema, ensure_ascii=False, indent=2) + "\n"
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
