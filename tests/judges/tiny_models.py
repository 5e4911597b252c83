"""Tiny models with random weights, saved as anybody's would be; built where torch is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

WORDS = (
    "the office opens at nine and closes free plan holds five members it is not ten in v1 . , "
    "图 书 馆 九 点 开 门 免 费 版 五 人 不 是 。"
).split()
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
THREE = ("CONTRADICTION", "neutral", "Entailment")


def needs_torch() -> None:
    """Skip with a reason where the extra `nli` is not installed."""
    pytest.importorskip("torch", reason="torch is not installed (extra nli)")
    pytest.importorskip("transformers", reason="transformers is not installed (extra nli)")


def save_tiny(folder: Path, labels: tuple[str, ...] | None = THREE, seed: int = 0) -> Path:
    """A classifier of these labels, or an encoder without any; the same for the same seed."""
    import torch
    from transformers import (
        BertConfig,
        BertForSequenceClassification,
        BertModel,
        BertTokenizerFast,
    )

    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join((*SPECIAL, *WORDS)) + "\n", encoding="utf-8")
    config = BertConfig(
        vocab_size=len(SPECIAL) + len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        hidden_dropout_prob=0.0,
        initializer_range=0.6,
    )
    if labels is not None:
        config.id2label = dict(enumerate(labels))
        config.label2id = {name: at for at, name in enumerate(labels)}
    torch.manual_seed(seed)
    model = BertModel(config) if labels is None else BertForSequenceClassification(config)
    model.save_pretrained(folder)
    BertTokenizerFast(vocab=str(vocabulary), model_max_length=64).save_pretrained(folder)
    return folder
