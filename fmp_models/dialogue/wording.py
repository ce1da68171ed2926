"""Wording of answers: short values for the dataset, sentences for people, and how an answer was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from fmp_models.dialogue.programs import Answer, Program, execute, nodes_of_part
from fmp_models.dialogue.scene_graph import BY_NAME, Attribute, SceneGraph, direction_of, node_of
from fmp_models.geometry import Clause, Direction, Part
from fmp_models.languages import compose_text, dialogue_words, grammar, realise, sayable

_MAX_FACTS = 4  # parts whose figures an explanation tells
_PLACES = {Attribute.START, Attribute.END}


def node_words(name: str, language: str) -> tuple[str, str]:
    """Return a part, or an object of the room, as a subject and as an object: "your left knee"."""
    node, words = BY_NAME.get(name), grammar(language)
    if node is None or node.part is None:
        thing = words.scene.objects.get(name, [name.replace("_", " ")])[0]
        return thing, thing
    plain = words.parts[node.part.value][node.side.value][0]
    subject, object_ = dialogue_words(language)["nodes"].get(node.part.value, {}).get(node.side.value, (plain, plain))
    return subject, object_


def value_words(attribute: Attribute, value: str, language: str) -> str:
    """Return a value of an attribute in words."""
    table = dialogue_words(language)["values"].get("place" if attribute in _PLACES else attribute.value, {})
    return str(table.get(value, value))


def number_words(count: int, language: str) -> str:
    """Return a number in words; more than all parts that are counted in digits."""
    numbers = dialogue_words(language)["values"]["numbers"]
    return str(numbers[count] if count < len(numbers) else count)


def value_text(answer: Answer, program: Program, language: str) -> str:
    """Return the short answer: "3", "yes", "up and forward", "your left knee and your head"."""
    values = dialogue_words(language)["values"]
    if answer.outcome != "answer":
        return str(values["outcome"][answer.outcome])
    if program.op == "count":
        return answer.value
    if program.op == "exist":
        return str(values["moves"][answer.value])
    found = answer.value.split(", ")
    if program.op == "seek":
        return _listed((value_words(Attribute(str(program.args[0])), value, language) for value in found), language)
    return str(values["compare"].get(answer.value, "")) or _parts(found, language)


def answer_text(answer: Answer, program: Program, graph: SceneGraph, language: str) -> str:
    """Return the answer as sentences for people; the program names its nodes, see :func:`resolved`."""
    said = dialogue_words(language)["answers"]
    advice = _advice(answer, program, graph, language)
    if advice:
        return advice
    if answer.outcome == "none" and not answer.nodes:
        return str(said["no_member" if program.op == "which" else "no_part"])
    if answer.outcome not in {"answer", "none"}:
        kind = {"count": "at_least", "which": "at_least", "seek": "unseen_of"}.get(program.op, "unseen")
        return _filled(said[kind if answer.nodes else "unseen"], {"parts": _parts(answer.nodes, language)})
    node = answer.nodes[0] if answer.nodes else ""
    blanks = {"value": value_text(answer, program, language), "parts": _parts(answer.nodes, language)}
    blanks |= dict(zip(("part", "part_object"), node_words(node, language), strict=True))
    match program.op:
        case "seek":
            sentence = _of_attribute(answer, Attribute(str(program.args[0])), node, language)
        case "count":
            blanks["number"] = number_words(len(answer.nodes), language)
            sentence = said["count"][min(len(answer.nodes), 2)]
        case "exist":
            sentence = said["exist_found"] if answer.nodes else said["exist"][answer.value]
        case "compare":
            blanks |= dict(zip(("part", "part_object"), node_words(answer.value, language), strict=True))
            sentence = said["compare"].get(answer.value, said["compare"]["one"])
        case _:
            whole = "node" not in {step.op for step in program.walk()}
            unseen = program.op == "name" and whole and any(graph.moves.get(name) is None for name in graph.counted)
            sentence = said["of_seen" if unseen else "value"]
    return _filled(sentence, blanks)


def _advice(answer: Answer, program: Program, graph: SceneGraph, language: str) -> str:
    """Return what to do with the parts that a question names, where yes, no or "still" says less; else nothing."""
    names, asked = _named(program), program.args[0]
    if program.op == "seek" and asked in {Attribute.DIRECTION, Attribute.DEGREE, Attribute.MOVES}:
        return _of_moving(names, graph, language, expected=True)
    enough = isinstance(asked, Program) and asked.op == "except"
    changed = asked.args[1] if enough and isinstance(asked, Program) else asked
    if program.op != "exist" or not names or not isinstance(changed, Program) or changed.op != "filter":
        return ""
    if changed.args[0] == Attribute.MOVES and not enough:
        return _of_moving(names, graph, language, expected=changed.args[1] == "yes")
    if changed.args[0] != Attribute.DIRECTION:
        return ""
    return _of_direction(answer, changed, graph, language, enough=enough)


def _of_moving(names: Sequence[str], graph: SceneGraph, language: str, *, expected: bool) -> str:
    """Return what to do with parts that move although this is not expected, or in which only a part moves."""
    said, within = dialogue_words(language)["answers"], [part for name in names for part in _moving_within(name, graph)]
    if names and all(graph.moves.get(name) is False for name in names):
        todo = _instructions(within, graph, language)
        return _filled(said["rests"], {"instructions": todo, "parts": _parts(names, language, 1)}) if todo else ""
    todo = "" if expected else _instructions([*filter(graph.moves.get, names), *within], graph, language)
    return f"{said['exist']['no']} {todo}" if todo else ""


def _of_direction(answer: Answer, changed: Program, graph: SceneGraph, language: str, *, enough: bool) -> str:
    """Return which of some parts go in a direction, which go in the opposite one, or that none needs to."""
    said, value = dialogue_words(language)["answers"], str(changed.args[1])
    names, needed = _named(changed), execute(Program("which", (changed,)), graph).nodes
    less = [name for name in names if graph.directions.get((name, direction_of(BY_NAME[name], value).reverse))]
    sentence, found = "", names[: len(names) == 1]
    if needed:
        sentence, found = said["enough"]["no"] if enough else said["needed"], needed
    elif answer.outcome == "answer" and less:
        sentence, found = said["enough"]["more"] if enough else said["contrary"], tuple(less)
        value = Direction(value).reverse.value
    elif answer.outcome == "answer":
        sentence = said["enough"]["yes"] if enough and answer.nodes == names else said["needless"]
    instruction = _instruction(found, value, language)
    return _filled(sentence, {"instruction": instruction}) if instruction or "{" not in sentence else ""


def _named(program: Program) -> tuple[str, ...]:
    """Return the parts that a question is about if it names each of them."""
    names, ops = dict[str, None](), {step.op for step in program.walk()}
    if not ops <= {"these", "each", "node", "filter", "except", "exist", "which", "count", "seek"}:
        return ()
    for step in program.walk():
        if step.op in {"these", "node"}:
            names |= dict.fromkeys(name for name in str(step.args[0]).split("; ") if name in BY_NAME)
        elif step.op == "each":
            names |= dict.fromkeys(nodes_of_part(str(step.args[0])))
    return tuple(names)


def _moving_within(name: str, graph: SceneGraph) -> list[str]:
    """Return what moves with a limb or the hips, to people, while the part itself does not."""
    node = BY_NAME[name]
    whole = node.part is not None and node.part.limb is node.part and node.part.of_limb
    within = (node.part.hinge, node.part.end) if node.part and whole else (Part.BODY,) if node.part is Part.HIPS else ()
    found = (node_of(node.side, part) for part in within if part is not None)
    moving = [part.name for part in found if part is not None and graph.moves.get(part.name)]
    return moving if graph.moves.get(name) is False else []


def _instruction(names: Iterable[str], value: str, language: str) -> str:
    """Return the movement of parts in one direction as part of a sentence; nothing if it cannot be said."""
    plan = _sayable(((name, direction_of(BY_NAME[name], value)) for name in names), language)
    return _listed(realise(plan, grammar(language)), language) if plan else ""


def _instructions(names: Iterable[str], graph: SceneGraph, language: str) -> str:
    """Return the main movement of each part as sentences; nothing if they cannot be said."""
    movements = ((name, each.direction) for name in names for each in graph.movements.get(name, ())[:1])
    plan, words = _sayable(movements, language), grammar(language)
    return compose_text(realise(plan, words), words) if plan else ""


def _sayable(movements: Iterable[tuple[str, Direction]], language: str) -> tuple[Clause, ...]:
    nodes = ((BY_NAME[name], direction) for name, direction in movements)
    plan = (Clause(node.side, node.part, direction) for node, direction in nodes if node.part is not None)
    return tuple(clause for clause in plan if sayable(clause, grammar(language)))


def _of_attribute(answer: Answer, attribute: Attribute, node: str, language: str) -> str:
    said = dialogue_words(language)["answers"]
    if attribute is Attribute.ANGLE:
        return str(said["angle" if answer.outcome == "answer" else "no_angle"])
    if answer.outcome == "none":
        return str(said["nowhere" if attribute in _PLACES else "stays"])
    if attribute is Attribute.DIRECTION:
        of, words = BY_NAME[node], grammar(language)
        plan = [Clause(of.side, of.part, Direction(each)) for each in answer.value.split(", ") if of.part is not None]
        if all(sayable(clause, words) for clause in plan):
            return compose_text(realise(tuple(plan), words), words)
    sentence = said.get(attribute.value, said["value"])
    return str(sentence if isinstance(sentence, str) else sentence[answer.value])


def explanation_text(program: Program, answer: Answer, graph: SceneGraph, language: str) -> str:
    """Return how an answer was found: the program in words and the figures that were measured."""
    words = dialogue_words(language)["explanations"]
    text = program_text(program, language)
    names = _named(program) or answer.nodes
    names = tuple(dict.fromkeys(part for name in names for part in (name, *_moving_within(name, graph))))
    facts = list(filter(None, (_facts(name, graph, language) for name in names[:_MAX_FACTS])))
    return f"{text} {words['facts'].format(facts='; '.join(facts))}" if facts else text


def program_text(program: Program, language: str) -> str:
    """Return a program in words."""
    words = dialogue_words(language)["explanations"]
    attribute = Attribute(str(program.args[0])) if program.op in {"seek", "group", "filter"} else None
    sets = [program_text(arg, language) for arg in program.args if isinstance(arg, Program)]
    blanks = dict(zip(("set", "other"), sets, strict=False))
    blanks["attribute"] = words["attribute"][attribute.value] if attribute else ""
    named, filters = _named(program), [step for step in program.walk() if step.op == "filter"]
    match program.op:
        case "node":
            return node_words(str(program.args[0]), language)[0]
        case "these":
            return _parts(str(program.args[0]).split("; "), language, 1)
        case "each":
            return _parts([*nodes_of_part(str(program.args[0]))], language, 1)
        case "exist" | "which" | "count" if named and filters:
            sentence = words["question"]["seek"]
            measured = (words["attribute"][str(step.args[0])] for step in filters)
            blanks |= {"set": _parts(named, language), "attribute": _listed(measured, language)}
        case "filter" if attribute:
            said = words["filter"][attribute.value]
            sentence = said if isinstance(said, str) else said[program.args[1]]
            blanks["value"] = value_words(attribute, str(program.args[1]), language)
        case "relate":
            sentence, blanks["pose"] = words["relate"][program.args[0]], words["pose"][program.args[1]]
        case _:
            sentence = words["question"].get(program.op) or words["set"][program.op]
    return _filled(sentence, blanks)


def _facts(name: str, graph: SceneGraph, language: str) -> str:
    """Return the measured movements of a part in words."""
    words = dialogue_words(language)["explanations"]
    facts = []
    for movement in graph.movements.get(name, ()):
        unit, size = ("degrees", movement.size) if movement.in_degrees else ("centimetres", 100 * movement.size)
        way = value_words(Attribute.DIRECTION, movement.direction.value, language)
        facts.append(words["fact"].format(way=way, size=words["units"][unit].format(size=round(size))))
    if graph.moves.get(name) is False:
        facts = [words["still"]]
    return f"{node_words(name, language)[0]}: {', '.join(facts)}" if facts else ""


def _parts(names: Iterable[str], language: str, form: int = 0) -> str:
    return _listed((node_words(name, language)[form] for name in names), language)


def _listed(texts: Iterable[str], language: str) -> str:
    values, unique = dialogue_words(language)["values"], list(dict.fromkeys(texts))
    return str(values["and"].join(filter(None, (values["comma"].join(unique[:-1]), *unique[-1:]))))


def _filled(sentence: str, blanks: dict[str, Any]) -> str:
    """Return a sentence with its blanks filled and a capital letter at its start."""
    capital = {f"{name[:1].upper()}{name[1:]}": f"{text[:1].upper()}{text[1:]}" for name, text in blanks.items()}
    return sentence.format(**blanks, **capital)
