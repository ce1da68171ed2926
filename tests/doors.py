"""A contract of import-linter: other rooms import a room by its ``__init__`` alone."""

from __future__ import annotations

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, output


def room_of(module: str) -> str:
    """Return the package of the second level that holds a module, or a module beside the rooms itself."""
    return ".".join(module.split(".")[:2])


def imports_past_doors(graph: ImportGraph) -> list[tuple[str, str]]:
    """Return each module that imports one from inside another room, and the imported one."""
    return sorted(
        (importer, module)
        for module in graph.modules
        if module.count(".") > 1
        for importer in graph.find_modules_that_directly_import(module)
        if room_of(importer) != room_of(module)
    )


class DoorsContract(Contract):
    """No module is imported from inside another room (``fmp_models.geometry.clauses`` from ``demo.views``)."""

    type_name = "doors"

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002, FBT001  as import-linter calls it
        """Return the imports that go past a door."""
        past = imports_past_doors(graph)
        return ContractCheck(kept=not past, metadata={"past": past})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print each import that goes past a door."""
        for importer, module in check.metadata["past"]:
            output.print_error(f"{importer} imports {module}; the door is {room_of(module)}", bold=False)
