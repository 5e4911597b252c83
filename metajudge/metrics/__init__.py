"""Metrics beside faithfulness: judged by templates, or computed without a judge."""
