"""Plans as the server logs them with debug_print_plan, of the statements inside of functions too."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from psycopg import Connection
from psycopg.errors import Diagnostic

TOKEN = re.compile(r"[{}()]|(?:\\.|[^\s{}()\\])+")
CHILDREN = ("lefttree", "righttree", "subplan")
# Scans that read everything there is, each time that they begin anew.
FULL_SCANS = {"SEQSCAN", "NAMEDTUPLESTORESCAN", "CTESCAN", "WORKTABLESCAN"}


@dataclass
class Node:
    name: str
    fields: dict[str, list["Value"]] = field(default_factory=dict)

    def one(self, name: str) -> "Value | None":
        """The only value of a field, whatever struct it stands in."""
        values = next((values for key, values in self.fields.items() if key.rpartition(".")[2] == name), [])
        return values[0] if len(values) == 1 else None

    def below(self) -> Iterator["Node"]:
        """This node and every node in it."""
        yield self
        for values in self.fields.values():
            yield from _nodes(values)

    def begun_anew(self, parameters: set[str]) -> Iterator["Node"]:
        """This node and those below it that run again when the parameters change: other hash tables are kept."""
        yield self
        if self.name == "HASH" and not parameters & set(map(str, self.fields["plan.extParam"][0])):
            return
        for child in CHILDREN:
            if isinstance(node := self.one(child), Node):
                yield from node.begun_anew(parameters)
        yield from _nodes(self.fields.get("appendplans", []))


Value = str | Node | list["Value"]


def _nodes(values: list[Value]) -> Iterator[Node]:
    for value in values:
        if isinstance(value, Node):
            yield from value.below()
        elif isinstance(value, list):
            yield from _nodes(value)


def parse(text: str) -> Node:
    tokens = iter(TOKEN.findall(text))
    (tree,) = _values(tokens, None)
    assert isinstance(tree, Node)
    return tree


def _values(tokens: Iterator[str], end: str | None) -> list[Value]:
    values: list[Value] = []
    for token in tokens:
        if token == end:
            break
        match token:
            case "{":
                values.append(_node(next(tokens), _values(tokens, "}")))
            case "(":
                values.append(_values(tokens, ")"))
            case _:
                values.append(token)
    return values


def _node(name: str, values: list[Value]) -> Node:
    node = Node(name)
    current: list[Value] = []
    for value in values:
        if isinstance(value, str) and value.startswith(":"):
            current = node.fields.setdefault(value[1:], [])
        else:
            current.append(value)
    return node


def repeated_scans(plan: Node) -> list[str]:
    """The full scans that begin anew for each row of another: the work is the product of the two."""
    found: list[str] = []
    for node in plan.below():
        if node.name == "NESTLOOP":
            again = node.one("righttree")
            changing = {str(parameter.one("paramno")) for parameter in _nodes(node.fields["nestParams"])}
        elif node.name == "SUBPLAN" and node.one("useHashTable") == "false" and node.one("setParam") == "<>":
            again = plan.fields["subplans"][0][int(str(node.one("plan_id"))) - 1]
            changing = set(map(str, node.fields["parParam"][0]))
        else:
            continue
        scans = again.begun_anew(changing) if isinstance(again, Node) else ()
        found += [f"{node.name} over {scan.name}" for scan in scans if scan.name in FULL_SCANS]
    return found


class PlanLog:
    """The plans that a session makes inside of functions, from now on: the name of the function and the plan."""

    def __init__(self, connection: Connection) -> None:
        self.plans: list[tuple[str, Node]] = []
        connection.add_notice_handler(self._keep)
        connection.execute("set client_min_messages = log")
        connection.execute("set debug_print_plan = on")
        connection.execute("set debug_pretty_print = off")

    def _keep(self, diagnostic: Diagnostic) -> None:
        function = re.match(
            r"(?:SQL statement.*?\n)?PL/pgSQL function engine\.(\w+)\(", diagnostic.context or "", re.DOTALL
        )
        if diagnostic.message_primary == "plan:" and function and diagnostic.message_detail:
            self.plans.append((function[1], parse(diagnostic.message_detail)))

    @property
    def repeated(self) -> set[tuple[str, str]]:
        return {(function, scan) for function, plan in self.plans for scan in repeated_scans(plan)}

    @property
    def functions(self) -> set[str]:
        return {function for function, _ in self.plans}
