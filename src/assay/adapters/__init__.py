"""Adapters: one outside thing each; every error of theirs is mapped to `assay.errors`."""
