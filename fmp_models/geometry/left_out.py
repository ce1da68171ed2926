"""Body parts that a person excludes from a correction, and the joints that then count as not seen."""

from __future__ import annotations

from collections.abc import Iterable

from fmp_models.errors import BadInputError
from fmp_models.pose import BODY_SIDES

_ENDS = {"arm": ("elbow", "wrist", "hand"), "leg": ("knee", "ankle", "foot")}
# The parts that a page offers one by one, and their joints. Hips and shoulders stay: they give the orientation.
SINGLE_PARTS: dict[str, frozenset[str]] = {
    **{
        f"{side}_{limb}": frozenset(f"{side}_{end}" for end in ends)
        for limb, ends in _ENDS.items()
        for side in BODY_SIDES
    },
    "trunk": frozenset({"spine", "neck"}),
    "head": frozenset({"head"}),
}
# All parts that can be excluded, including both arms or both legs under one name.
PARTS: dict[str, frozenset[str]] = {
    **SINGLE_PARTS,
    **{f"{limb}s": frozenset.union(*(SINGLE_PARTS[f"{side}_{limb}"] for side in BODY_SIDES)) for limb in _ENDS},
}


def joints_left_out(parts: Iterable[object]) -> frozenset[str]:
    """Return the joints of all ``parts``; raise :class:`BadInputError` (``unknown_part``) for an unknown part."""
    names: frozenset[str] = frozenset()
    for part in parts:
        if not isinstance(part, str) or part not in PARTS:
            raise BadInputError("unknown_part", part=str(part)[:30], known=", ".join(PARTS))
        names |= PARTS[part]
    return names
