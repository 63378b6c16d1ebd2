"""Naive oracles: every rule written again from its paper, slow and obviously right."""
