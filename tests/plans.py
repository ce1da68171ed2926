"""Plans of all that every language can say, for properties that hold of any text."""

from __future__ import annotations

from hypothesis import strategies as st

from fmp_models.geometry.lexicon import Clause, Degree, Direction, Part, Plan, Relation, Side
from fmp_models.geometry.measures import BY_AXIS
from fmp_models.geometry.planner import SAYS_HOW_FAR, STILL_PARTS
from fmp_models.geometry.relations import possible_relations

SAYABLE = sorted({(side, part, way) for (side, part, way), (measure, _) in BY_AXIS.items() if measure.weight})
# Both feet to the side is what "apart" says, and only one foot is the one that steps.
BOTH_TOO = sorted(
    {
        (Side.BOTH, part, way)
        for side, part, way in SAYABLE
        if side is Side.LEFT and (part is not Part.FOOT or "turn" in way)
    }
)


@st.composite
def clauses(draw: st.DrawFn) -> Clause:
    side, part, way = draw(st.sampled_from([*SAYABLE, *BOTH_TOO]))
    held: list[Relation] = []
    for choices in possible_relations(part, way):
        held.extend(draw(st.sampled_from([(), *((relation,) for relation, _ in choices)])))
    if Relation.SIDEWAYS in held and Relation.OVERHEAD in held:
        held.remove(Relation.SIDEWAYS)
    # A relation fixes how far; opening a bent limb part way and straightening it are different words.
    degree = Degree.PLAIN if SAYS_HOW_FAR & set(held) else draw(st.sampled_from(Degree))
    return Clause(side, part, way, degree, tuple(held))


keeps = st.sampled_from([Clause(side, part, Direction.KEEP) for side, part in STILL_PARTS])
plans = st.lists(clauses() | keeps, min_size=1, max_size=8, unique=True).map(tuple)
seeds = st.none() | st.integers(0, 10_000)


def mirror_plan(plan: Plan) -> Plan:
    """Give the plan of the mirrored pair."""
    return tuple(clause.mirrored for clause in plan)
