"""Wording of answers: short values for the dataset, sentences for people, and how an answer was found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fmp_models.dialogue.programs import Answer, Program
from fmp_models.dialogue.scene_graph import BY_NAME, Attribute, SceneGraph
from fmp_models.geometry import Clause, Direction
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


def answer_text(answer: Answer, program: Program, language: str) -> str:
    """Return the answer as sentences for people."""
    said = dialogue_words(language)["answers"]
    if answer.outcome == "none" and not answer.nodes:
        return str(said["no_member" if program.op == "which" else "no_part"])
    if answer.outcome not in {"answer", "none"}:
        some = answer.nodes and program.op in {"count", "which"}
        return _filled(said["at_least" if some else "unseen"], {"parts": _parts(answer.nodes, language)})
    numbers = dialogue_words(language)["values"]["numbers"]
    node = answer.nodes[0] if answer.nodes else ""
    blanks = {"value": value_text(answer, program, language), "parts": _parts(answer.nodes, language)}
    blanks |= dict(zip(("part", "part_object"), node_words(node, language), strict=True))
    match program.op:
        case "seek":
            sentence = _of_attribute(answer, Attribute(str(program.args[0])), node, language)
        case "count":
            blanks["number"] = numbers[len(answer.nodes)]
            sentence = said["count"][min(len(answer.nodes), 2)]
        case "exist":
            sentence = said["exist_found"] if answer.nodes else said["exist"][answer.value]
            asked = _instruction(program, language)
            if asked:
                enough = isinstance(program.args[0], Program) and program.args[0].op == "except"
                kind = ("no", "yes")[answer.value == "yes"] if enough else ("needless", "needed")[answer.value == "yes"]
                sentence = said["enough"][kind] if enough else said[kind]
                blanks["instruction"] = asked
        case "compare":
            blanks |= dict(zip(("part", "part_object"), node_words(answer.value, language), strict=True))
            sentence = said["compare"].get(answer.value, said["compare"]["one"])
        case _:
            sentence = said["value"]
    return _filled(sentence, blanks)


def _instruction(program: Program, language: str) -> str:
    """Return the movement of one part, or of both sides, whose existence a program asks for; empty without."""
    found, words = program.args[0], grammar(language)
    if isinstance(found, Program) and found.op == "except":
        found = found.args[1]
    if not isinstance(found, Program) or found.op != "filter" or found.args[0] != Attribute.DIRECTION:
        return ""
    base = found.args[2]
    names = str(base.args[0]).split("; ") if isinstance(base, Program) and base.op == "these" else []
    nodes = [BY_NAME[name] for name in names if name in BY_NAME]
    direction = Direction(str(found.args[1]))
    plan = [Clause(node.side, node.part, direction.of_part(node.side)) for node in nodes if node.part is not None]
    said = len(plan) == len(names) == 1 and all(sayable(clause, words) for clause in plan)
    return realise(tuple(plan), words)[0] if said else ""


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
    facts = list(filter(None, (_facts(name, graph, language) for name in answer.nodes[:_MAX_FACTS])))
    return f"{text} {words['facts'].format(facts='; '.join(facts))}" if facts else text


def program_text(program: Program, language: str) -> str:
    """Return a program in words."""
    words = dialogue_words(language)["explanations"]
    attribute = Attribute(str(program.args[0])) if program.op in {"seek", "group", "filter"} else None
    sets = [program_text(arg, language) for arg in program.args if isinstance(arg, Program)]
    blanks = dict(zip(("set", "other"), sets, strict=False))
    blanks["attribute"] = words["attribute"][attribute.value] if attribute else ""
    match program.op:
        case "node":
            return node_words(str(program.args[0]), language)[0]
        case "these":
            return _parts(str(program.args[0]).split("; "), language, 1)
        case "each":
            names = [f"{side}{program.args[0]}" for side in ("left ", "right ", "")]
            return _parts((name for name in names if name in BY_NAME), language, 1)
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
