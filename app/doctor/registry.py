"""Every check, in the order in which they are read: what comes first explains what comes after."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from app.doctor import (
    broker,
    canary,
    connections,
    indexes,
    key,
    mistakes,
    pooler,
    rows,
    schema,
    server,
    transactions,
    triggers,
    vacuum,
    words,
    workers,
    workflows,
)
from app.doctor.finding import Finding
from app.doctor.patient import Patient


class Needs(IntEnum):
    NOTHING = 0
    DATABASE = 1
    ENGINE = 2


@dataclass(frozen=True)
class Check:
    group: str
    name: str
    look: Callable[[Patient], Iterator[Finding]]
    needs: Needs = Needs.ENGINE


CHECKS: tuple[Check, ...] = (
    Check("This machine", "settings", mistakes.mistakes, Needs.NOTHING),
    Check("This machine", "broker", broker.broker, Needs.NOTHING),
    Check("This machine", "Places key", key.key, Needs.NOTHING),
    Check("The server", "version", server.version, Needs.DATABASE),
    Check("The server", "durability", server.durability, Needs.DATABASE),
    Check("The server", "disk", server.disk, Needs.DATABASE),
    Check("The server", "clock", server.clock, Needs.DATABASE),
    Check("The server", "connections", connections.connections, Needs.DATABASE),
    Check("The server", "pooler", pooler.pooler, Needs.DATABASE),
    Check("The server", "transactions", transactions.transactions, Needs.DATABASE),
    Check("The server", "replication slots", transactions.slots, Needs.DATABASE),
    Check("The server", "notifications", transactions.notifications, Needs.DATABASE),
    Check("The tables", "business tables", schema.tables, Needs.DATABASE),
    Check("The tables", "engine", schema.engine, Needs.DATABASE),
    Check("The tables", "registry", schema.registry),
    Check("The tables", "tenant", schema.tenant),
    Check("The tables", "triggers", triggers.triggers),
    Check("The tables", "functions", triggers.functions),
    Check("The tables", "status words", words.words),
    Check("The tables", "indexes", indexes.indexes),
    Check("The tables", "vacuum", vacuum.vacuum),
    Check("The tables", "unowned rows", rows.unowned),
    Check("At work", "workers", workers.workers),
    Check("At work", "listener", workers.listener),
    Check("At work", "sweeper", workers.sweeper),
    Check("At work", "workflows", workflows.stopped),
    Check("At work", "canary", canary.canary),
)
