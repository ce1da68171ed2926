"""Seats: a stool that is rendered and casts its shadow together with the person."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fmp_models.pose import Array
from fmp_models.sim.furniture import build_piece
from fmp_models.sim.furniture.palette import PALETTES
from fmp_models.sim.people.dressing import DressedBody, PlacedBody

_VARIANTS = 2


@dataclass(frozen=True, eq=False)
class SeatedPose:
    """A dressed body and a stool as one mesh; ``at_height`` puts the stool below the person."""

    triangles: NDArray[np.int64]
    colours: Array
    gloss: Array
    points: Array  # of the stool, its height one metre
    normals: Array

    def at_height(self, placed: PlacedBody, under: tuple[float, float], seat: float) -> PlacedBody:
        """Return the person and the stool, ``seat`` metres high, at a place on the floor."""
        points = self.points * [1.0, 1.0, seat] + [*under, 0.0]
        return replace(
            placed,
            points=np.concatenate([placed.points, points.astype(np.float32)]),
            normals=np.concatenate([placed.normals, self.normals.astype(np.float32)]),
        )


def seated(body: DressedBody, variant: int) -> SeatedPose:
    """Return the body with a stool; ``variant`` counts the stool's variants within each palette."""
    piece = build_piece("stool", variant % _VARIANTS, PALETTES[variant // _VARIANTS % len(PALETTES)])
    height = piece.size[2]
    triangles, colours, gloss = [body.triangles], [body.colours], [body.gloss]
    points: list[Array] = []
    normals: list[Array] = []
    first = len(body.colours)
    for surface in piece.surfaces:
        own = np.asarray(surface.mesh.points, dtype=np.float64)
        triangles.append(np.asarray(surface.mesh.regular_faces) + first)
        first += len(own)
        points.append(own * [1.0, 1.0, 1 / height])
        normals.append(np.asarray(surface.mesh.point_data["Normals"], dtype=np.float64))
        colour = surface.colour(own) if callable(surface.colour) else surface.colour
        colours.append(np.broadcast_to(np.asarray(colour, dtype=np.float64), (len(own), 3)))
        gloss.append(np.full(len(own), surface.gloss))
    return SeatedPose(
        np.concatenate(triangles),
        np.concatenate(colours),
        np.concatenate(gloss),
        np.concatenate(points),
        np.concatenate(normals),
    )
