"""The features of open decisions, saved and restored."""

from __future__ import annotations

from typing import Any

import numpy as np

from lowbid._require import require
from lowbid.errors import StateError
from lowbid.online._decisions import Decisions
from lowbid.online._features import Columns, Features
from lowbid.policies import Policy


def features_to(features: Features | None, contexts: dict[str, Columns]) -> dict[str, Any]:
    """The declaration, and the columns of each open decision, as plain data."""
    if features is None:
        return {}
    rows = {identity: values.tolist() for identity, values in contexts.items()}
    return {"features": features.to_data(), "contexts": rows}


def contexts_from(
    features: Features | None, saved: dict[str, Any], decisions: Decisions, policy: Policy
) -> dict[str, Columns]:
    """The columns of each open decision, or an error if they cannot have been saved."""
    columns = 0 if features is None else len(features.columns)
    if features is None and "contexts" not in saved:
        return {}
    require(
        columns == getattr(policy, "columns", 0),
        f"there are {columns} columns of features, and the policy has another number.",
    )
    found = {i: np.array(values, np.float64) for i, values in saved["contexts"].items()}
    for identity, values in found.items():
        if values.shape != (columns + 1,) or not np.isfinite(values).all():
            raise StateError(f"the features of decision {identity!r} are not {columns} numbers.")
    if found.keys() != {decision.id for decision in decisions.pending()}:
        raise StateError("contexts are not those of the open decisions.")
    return found
