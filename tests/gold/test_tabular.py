import csv
import io
import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError
from metajudge.gold import load_goldset, read_table

SCHEMA_TEXT = "columns are action: string, datetime: timestamp[s]"
ROWS: dict[str, list[Any]] = {
    "claim": [SCHEMA_TEXT, "Tea is hot."],
    "context": [["Tea."], [SCHEMA_TEXT, "Tea."]],
    "label": ["idk", "yes"],
    "question": [None, "What?"],
}
Table = Callable[..., Path]


class SocketOpenedError(AssertionError):
    pass


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise SocketOpenedError

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture(scope="module")
def datasets() -> Iterator[Any]:
    module = pytest.importorskip("datasets")
    enabled = module.is_progress_bar_enabled()
    module.disable_progress_bars()
    yield module
    if enabled:
        module.enable_progress_bars()


@pytest.mark.usefixtures("no_sockets")
def test_b84_local_files_need_no_network(tmp_path: Path, table: Table, datasets: Any) -> None:
    rows = [{name: column[n] for name, column in ROWS.items()} for n in range(2)]
    jsonl = table(rows)
    parquet = tmp_path / "rows.parquet"
    saved = tmp_path / "saved"
    dataset = datasets.Dataset.from_dict(ROWS)
    dataset.to_parquet(str(parquet))
    dataset.save_to_disk(str(saved))
    cells = io.StringIO(newline="")
    csv.writer(cells).writerows(
        [list(ROWS), *({**row, "context": json.dumps(row["context"])}.values() for row in rows)]
    )
    spreadsheet = table(cells.getvalue(), "rows.csv")
    golds = [load_goldset(path) for path in (jsonl, spreadsheet, parquet, saved)]
    assert len({gold.sha256 for gold in golds}) == 1
    assert golds[0].claims[0].claim == SCHEMA_TEXT
    assert golds[3].claims == golds[0].claims


@pytest.mark.parametrize("field", ["claim", "question", "context"])
def test_b83_text_is_not_mistaken_for_a_schema(table: Table, field: str) -> None:
    row = {"claim": "Tea.", "context": "Tea.", "question": "What?", "label": "yes"} | {
        field: SCHEMA_TEXT
    }
    gold = read_table(table([row]))
    claim = gold.claims[0]
    assert SCHEMA_TEXT in (claim.claim, claim.question, *gold.passages(claim))


def test_b84_hub_name_while_offline_gives_one_clear_message(
    datasets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(GoldError) as caught:
        load_goldset("hf:metajudge-no-such/tea")
    (problem,) = caught.value.problems
    assert problem.where == "hf:metajudge-no-such/tea"
    assert "cannot be had from the Hugging Face hub" in problem.law
    assert "save_to_disk" in problem.mend and "\n" not in str(problem)


def test_hub_sets_and_splits(datasets: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def load(name: str, config: str | None) -> Any:
        asked.append((name, config))
        return datasets.DatasetDict(
            {split: datasets.Dataset.from_dict(ROWS) for split in ("dev", "test")}
        )

    monkeypatch.setattr(datasets, "load_dataset", load)
    gold = load_goldset("hf:owner/tea:zh#dev")
    assert asked == [("owner/tea", "zh")] and len(gold.claims) == 2 and gold.path is None
    with pytest.raises(
        GoldError, match=r"the set has the splits dev, test. Name one: hf:owner/tea#dev"
    ):
        load_goldset("hf:owner/tea")


def test_saved_folder_with_splits(tmp_path: Path, datasets: Any) -> None:
    table = datasets.Dataset.from_dict(ROWS)
    saved = tmp_path / "saved"
    datasets.DatasetDict({"dev": table, "test": table.select([0])}).save_to_disk(str(saved))
    with pytest.raises(GoldError, match="the set has the splits dev, test"):
        read_table(saved)
    assert len(read_table(f"{saved}#test").claims) == 1
    one = tmp_path / "one"
    datasets.DatasetDict({"train": table}).save_to_disk(str(one))
    assert len(read_table(one).claims) == 2


def test_b39_missing_numbers_are_missing_values(tmp_path: Path, datasets: Any) -> None:
    path = tmp_path / "rows.parquet"
    rows = {"claim": ["A."], "context": [None], "label": ["yes"], "question": [float("nan")]}
    datasets.Dataset.from_dict(rows).to_parquet(str(path))
    with pytest.raises(GoldError, match=r"rows.parquet row 1: passages: the context is empty"):
        read_table(path)
    gold = read_table(path, allow_empty_context=True)
    assert gold.claims[0].question is None


def test_class_labels_are_read_by_name(tmp_path: Path, datasets: Any) -> None:
    features = datasets.Features(
        {
            "premise": datasets.Value("string"),
            "hypothesis": datasets.Value("string"),
            "label": datasets.ClassLabel(names=["entailment", "neutral", "contradiction"]),
        }
    )
    rows = {"premise": ["Tea."] * 3, "hypothesis": ["A.", "B.", "C."], "label": [0, 1, 2]}
    saved = tmp_path / "nli"
    datasets.Dataset.from_dict(rows, features=features).save_to_disk(str(saved))
    gold = read_table(
        saved,
        columns={"passages": "premise", "claim": "hypothesis"},
        labels={"entailment": "yes", "neutral": "idk", "contradiction": "no"},
    )
    assert [claim.label for claim in gold.claims] == ["yes", "idk", "no"]


def test_broken_files(tmp_path: Path, datasets: Any) -> None:
    path = tmp_path / "rows.parquet"
    path.write_bytes(b"PAR1 but not really")
    with pytest.raises(GoldError, match="not a Parquet file"):
        read_table(path)
    saved = tmp_path / "saved"
    saved.mkdir()
    (saved / "state.json").write_text("{}", encoding="utf-8")
    with pytest.raises(GoldError, match="no complete set saved"):
        read_table(saved)
    with pytest.raises(GoldError, match="no such file"):
        read_table(tmp_path / "nope.parquet")


def test_reading_leaves_the_library_as_it_was(tmp_path: Path, datasets: Any) -> None:
    from huggingface_hub import constants

    path = tmp_path / "rows.parquet"
    datasets.Dataset.from_dict(ROWS).to_parquet(str(path))
    before = (dict(os.environ), datasets.config.HF_HUB_OFFLINE, constants.HF_HUB_OFFLINE)
    read_table(path)
    assert before == (dict(os.environ), datasets.config.HF_HUB_OFFLINE, constants.HF_HUB_OFFLINE)
