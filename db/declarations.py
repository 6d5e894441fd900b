"""What workflows must be to each other, which no single declaration can see."""

from collections.abc import Mapping

from db.declaration import Declaration, DeclarationError


def check_together(declarations: tuple[Declaration, ...]) -> None:
    """No two of one name or on one status column, none that feeds a stranger, and no ring of those who wait."""
    names: set[str] = set()
    owners: dict[tuple[str, str], str] = {}
    for declaration in declarations:
        if declaration.name in names:
            raise DeclarationError(f"two workflows are called {declaration.name!r}")
        names.add(declaration.name)
        column = (declaration.quoted_table, declaration.status)
        if column in owners:
            raise DeclarationError(
                f"{declaration.name} and {owners[column]} both use {column[0]}.{column[1]}; "
                "a status column has one workflow"
            )
        owners[column] = declaration.name
    for declaration in declarations:
        if declaration.feeds is not None and declaration.feeds not in names:
            raise DeclarationError(f"{declaration.name} feeds {declaration.feeds!r}, which is no workflow")
    _check_rings({declaration.name: declaration.feeds for declaration in declarations})


def _check_rings(feeds: Mapping[str, str | None]) -> None:
    """Whether or not a limit is declared: an operator may set one at any time."""
    for name in feeds:
        path: list[str] = []
        following: str | None = name
        while following is not None and following not in path:
            path.append(following)
            following = feeds[following]
        if following is not None:
            ring = " -> ".join([*path[path.index(following) :], following])
            raise DeclarationError(
                f"{ring}: workflows that feed each other in a ring could hold each other back for ever; "
                "leave feeds out of one of them"
            )
