"""Render the example pictures of the page.

Usage: ``python -m demo.examples.render [NAME ...] [--out FOLDER] [--lamps N]``, where a name is a pair or one pose of
the sun salutation. It is a development command that needs anny, pyvista (requirements-dev.txt) and an OpenGL that
renders without a screen (Mesa's EGL does). The app never imports it. A picture takes about a minute on two cores; the
same versions of both libraries reproduce the same pictures.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageOps

from demo.examples import SIDED, salutation, studio
from demo.examples.cast import SHOTS, ExampleShot, Person
from demo.examples.salutation import SalutationShot
from fmp_models.sim.people.body import embody
from fmp_models.sim.people.clothes import (
    bottoms_field,
    covered,
    shoe_field,
    shoemaker,
    tailor_bottoms,
    tailor_top,
    top_field,
)
from fmp_models.sim.people.head import eyes, hair, skin
from fmp_models.sim.people.posing import BodyPose
from fmp_models.sim.rendering.light import Camera, Lamps, Surface, picture

SIZE = (480, 640)
QUALITY = 85
DISTANCE = 6.0
EYE_LEVEL = 1.25
SUN_SALUTATION = "sun_salutation"  # folder


def main(arguments: Sequence[str] | None = None) -> None:
    """Write ``NAME_current.jpg`` and ``NAME_target.jpg`` of pairs, ``sun_salutation/NAME.jpg`` of poses."""
    names = [*SHOTS, *salutation.SHOTS]
    parser = argparse.ArgumentParser(prog="python -m demo.examples.render", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", choices=[*names, []], metavar="NAME", help=f"one of {', '.join(names)}")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder (default: this package)")
    parser.add_argument("--lamps", type=int, default=Lamps.count, help="fewer are faster and rougher")
    options = parser.parse_args(arguments)
    (options.out / SUN_SALUTATION).mkdir(parents=True, exist_ok=True)
    lamps = Lamps(count=options.lamps)
    for name in options.names or names:
        if name in SHOTS:
            for which, pose in SHOTS[name].poses.items():
                _write(photograph(SHOTS[name], pose, lamps), options.out / f"{name}_{which}.jpg")
        else:
            drawn = salutation_photograph(salutation.SHOTS[name], lamps)
            _write(drawn, options.out / SUN_SALUTATION / f"{name}.jpg")
            if name in SIDED:
                _write(ImageOps.mirror(drawn), options.out / SUN_SALUTATION / f"{name}_left.jpg")


def photograph(shot: ExampleShot, pose: BodyPose, lamps: Lamps) -> Image.Image:
    """Render one picture of a pair."""
    things, ground = shot.room()
    x, z = shot.centre
    camera = Camera((x, -DISTANCE, EYE_LEVEL), (x, 0.0, z), shot.height, SIZE)
    return picture([*things, *_stand(_dress(shot.person, pose), ground)], camera, lamps)


def salutation_photograph(shot: SalutationShot, lamps: Lamps) -> Image.Image:
    """Render one picture of the sun salutation."""
    things, ground = studio.dawn()
    person = _stand(_dress(salutation.PERSON, shot.pose), ground, shot.along)
    return picture([*things, *person], shot.camera, lamps)


def _write(image: Image.Image, path: Path) -> None:
    image.save(path, quality=QUALITY, optimize=True)
    print(f"{path}  {path.stat().st_size / 1000:.0f} kB")


def _dress(person: Person, pose: BodyPose) -> list[Surface]:
    body = embody(person.build, pose)
    fields = [top_field(body, person.top), bottoms_field(body, person.bottoms)]
    worn = [tailor_bottoms(body, person.bottoms), tailor_top(body, person.top)]
    if person.shoes:
        worn += shoemaker(body, person.shoes)
        fields.append(shoe_field(body))
    return [
        *worn,
        skin(body, person.looks, covered(body, fields)),
        *eyes(body, person.looks),
        *hair(body, person.looks),
    ]


def _stand(person: list[Surface], ground: float, along: float = 0.0) -> list[Surface]:
    """Move a person so that their lowest point touches the ground, and ``along`` metres to +x."""
    rise = ground - min(surface.mesh.points[:, 2].min() for surface in person)
    return [replace(surface, mesh=surface.mesh.translate((along, 0, rise), inplace=False)) for surface in person]


if __name__ == "__main__":
    main()
