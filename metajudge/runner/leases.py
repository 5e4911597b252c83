"""Who is asking for which call now, among processes that share a store."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from metajudge.runner.owner import is_gone, let_go, take_on

if TYPE_CHECKING:
    from sqlalchemy import Connection

LEASE_S = 30.0
"""How long a lease holds unless it is renewed."""
RENEWALS_PER_LEASE = 3
KEYS_PER_QUERY = 500


class Leases:
    """Leases of one run on the calls that it has under way, in the store's table `leases`.

    A lease is taken before a call goes out and given back once its reply is stored or it failed
    for good. The calls of a killed process are free once it is known to be gone, and where that
    cannot be known when their time has come; `renew` moves that time on. Times are those of the
    machine's clock, which the processes share.

    Args:
        begin: Opens a transaction on the store.
        lease_s: How long a lease holds from when it is taken or renewed, in s.

    Raises:
        StoreError: The store cannot be written.
    """

    def __init__(
        self, begin: Callable[[], AbstractContextManager[Connection]], lease_s: float = LEASE_S
    ) -> None:
        from sqlalchemy.schema import CreateTable

        from metajudge.runner.tables import tables

        self.lease_s = lease_s
        self.owner = take_on()
        self._begin = begin
        self._table = tables().leases
        with begin() as connection:
            connection.execute(CreateTable(self._table, if_not_exists=True))

    def take(self, key: str) -> bool:
        """Take the lease on a call unless somebody else holds it; in one atomic statement."""
        from sqlalchemy import select, update
        from sqlalchemy.dialects.sqlite import insert

        columns, now = self._table.c, time.time()
        ours = {"owner": self.owner, "until": now + self.lease_s}
        statement = insert(self._table).values(key=key, **ours)
        taken = statement.on_conflict_do_update(
            index_elements=["key"], set_=ours, where=columns.until <= now
        )
        with self._begin() as connection:
            if connection.execute(taken).rowcount == 1:
                return True
        with self._begin() as connection:
            holder = connection.scalar(select(columns.owner).where(columns.key == key))
        if holder is None or not is_gone(holder):
            return False
        left = update(self._table).where(columns.key == key, columns.owner == holder)
        with self._begin() as connection:
            return connection.execute(left.values(**ours)).rowcount == 1

    def free(self, keys: Collection[str]) -> set[str]:
        """Those of the calls that nobody holds a lease on now."""
        from sqlalchemy import select

        columns, wanted = self._table.c, list(keys)
        held: dict[str, str] = {}
        for start in range(0, len(wanted), KEYS_PER_QUERY):
            chunk = wanted[start : start + KEYS_PER_QUERY]
            running = columns.until > time.time()
            query = select(columns.key, columns.owner).where(columns.key.in_(chunk), running)
            with self._begin() as connection:
                held.update((key, owner) for key, owner in connection.execute(query))
        gone = {owner for owner in set(held.values()) if is_gone(owner)}
        return {key for key in wanted if key not in held or held[key] in gone}

    def give_back(self, keys: Collection[str]) -> None:
        """End the leases on calls whose replies are stored, or that failed for good."""
        from sqlalchemy import delete

        columns, ended = self._table.c, list(keys)
        for start in range(0, len(ended), KEYS_PER_QUERY):
            chunk = ended[start : start + KEYS_PER_QUERY]
            ours = delete(self._table).where(columns.key.in_(chunk), columns.owner == self.owner)
            with self._begin() as connection:
                connection.execute(ours)

    def renew(self) -> None:
        """Let all leases of this run hold `lease_s` from now on."""
        from sqlalchemy import update

        ours = update(self._table).where(self._table.c.owner == self.owner)
        with self._begin() as connection:
            connection.execute(ours.values(until=time.time() + self.lease_s))

    def close(self) -> None:
        """Give back whatever this run still holds, and clear away what nobody holds any more."""
        from sqlalchemy import delete, or_, select

        columns = self._table.c
        with self._begin() as connection:
            owners = connection.execute(select(columns.owner).distinct()).scalars().all()
        gone = [owner for owner in owners if owner == self.owner or is_gone(owner)]
        over = or_(columns.until <= time.time(), *(columns.owner == owner for owner in gone))
        with self._begin() as connection:
            connection.execute(delete(self._table).where(over))
        let_go(self.owner)
