"""Stores that are no stores, are damaged, full or shared; queries of them."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing

import pytest

from simtlab.isa.errors import SimtError, UsageError
from simtlab.lab import Run, Store
from simtlab.lab.database import claims
from simtlab.lab.database.errors import StoreError
from simtlab.lab.driver import Watcher

RUNS = [Run("lessons/nested", "tiny", sets=(("l2.hit_latency", 10 + i),)) for i in range(12)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.db"


def test_files_that_are_no_stores_are_left_as_they_are(tmp_path, path):
    path.write_text("hello " * 1000)
    with pytest.raises(StoreError, match="is not a store of results"):
        Store(path)
    assert path.read_text() == "hello " * 1000
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE mine (x)")
        connection.commit()
    before = other.read_bytes()
    with pytest.raises(StoreError, match="is not a store of results"):
        Store(other)
    assert other.read_bytes() == before
    with pytest.raises(StoreError, match="is a folder"):
        Store(tmp_path)
    with pytest.raises(StoreError, match=r"the folder .* does not exist"):
        Store(tmp_path / "none" / "results.db")
    with pytest.raises(StoreError, match=r"the store .* does not exist"):
        Store(tmp_path / "none.db", must_exist=True)
    with pytest.raises(UsageError, match="must be a path"):
        Store(3)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(("version", "text"), [(99, "of a newer simtlab"), (-1, "of an older")])
def test_stores_of_other_versions_are_left_as_they_are(path, version, text):
    Store(path).run(RUNS[:1])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(StoreError, match=text):
        Store(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 1")
    assert len(Store(path).select()) == 1


def test_an_older_store_is_brought_up_to_date(path, monkeypatch):
    Store(path).run(RUNS[:1])
    monkeypatch.setattr("simtlab.lab.database.database.VERSION", 2)
    monkeypatch.setattr(
        "simtlab.lab.database.database.MIGRATIONS", {1: "ALTER TABLE results ADD COLUMN note"}
    )
    assert Store(path).database.query("SELECT note FROM results")[0]["note"] is None
    assert len(Store(path).select()) == 1


def test_a_damaged_store_is_one_message(path):
    Store(path).run(RUNS)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(StoreError, match="is damaged"):
        Store(path).run(RUNS)
    assert path.read_bytes()[4096:] == data[4096:]


@pytest.mark.parametrize("first", range(2000, 2037, 4))
def test_a_store_with_damaged_texts_is_one_message(path, first):
    """SQLite quotes the file in its message, which then is not UTF-8."""
    Store(path).run(RUNS[:1])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(path.read_bytes())
    for place in range(first, len(data), 37):
        data[place] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(StoreError):
        Store(path).sql("SELECT * FROM runs")


def test_a_damaged_result_is_named(path):
    store = Store(path)
    (first,) = store.run(RUNS[:1])
    with store.database.changes() as connection:
        connection.execute("UPDATE results SET statistics = x'00'")
    with pytest.raises(StoreError, match=f"the result {first.key} in the store .* is damaged"):
        store.run(RUNS[:1])


class Full(Watcher):
    """Lets the disk be full after some runs: the file must not grow any more."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.count = 0

    def finished(self, failure, *, elsewhere=False):
        self.count += 1
        if self.count == 5:
            connection = self.store.database._connection
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages}")


def test_a_full_disk_ends_the_sweep_and_loses_nothing(path):
    store = Store(path)
    full = Full(store)
    with pytest.raises(StoreError, match="cannot grow") as caught:
        store.run(RUNS, watcher=full)
    assert caught.value.first.code == "SIM511"
    again = Store(path)
    kept = again.select()
    assert 5 <= len(kept) < len(RUNS)
    assert again.database.query("PRAGMA integrity_check")[0][0] == "ok"
    assert again.database.query("SELECT * FROM claims") == []
    done = again.run(RUNS)
    by_key = {r.key: r.result.digest for r in done}
    assert {row["key"]: row["digest"] for row in kept}.items() <= by_key.items()


def test_a_locked_store_is_one_message(path, monkeypatch):
    Store(path).run(RUNS[:1])
    monkeypatch.setattr("simtlab.lab.database.database.BUSY_SECONDS", 0.1)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="has locked the store"):
            Store(path).run(RUNS[:2])
    assert len(Store(path).run(RUNS[:2])) == 2


def test_a_store_that_cannot_be_written_can_be_read(path, monkeypatch):
    Store(path).run(RUNS[:1])
    store = Store(path)
    store.database._connection.execute("PRAGMA query_only = ON")
    assert store.find(RUNS[0]) is not None
    with pytest.raises(StoreError, match="cannot be written"):
        store.run(RUNS[:2])


# --- two at once


def test_two_sweeps_at_once_share_the_work(path):
    Store(path)
    seen: dict[str, list[bool]] = {"one": [], "two": []}

    both_have_one = threading.Barrier(2, timeout=600)

    class Seen(Watcher):
        def __init__(self, name: str) -> None:
            self.list = seen[name]

        def finished(self, failure, *, elsewhere=False):
            self.list.append(elsewhere)
            if not elsewhere and self.list.count(False) == 1:
                both_have_one.wait()  # else the first one may be done before the other begins

    runs = [Run("lessons/nested", "tiny", sets=(("l2.hit_latency", 10 + i),)) for i in range(80)]
    results: dict[str, list[str]] = {}

    def work(name: str) -> None:
        found = Store(path).run(runs, watcher=Seen(name))
        results[name] = [r.result.digest for r in found]

    threads = [threading.Thread(target=work, args=(name,)) for name in seen]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results["one"] == results["two"]
    simulated = [sum(not elsewhere for elsewhere in seen[name]) for name in seen]
    assert sum(simulated) == len(runs)  # each once
    assert min(simulated) > 0


def test_claims_of_others_are_respected_until_they_end(path, monkeypatch):
    first, second = Store(path).database, Store(path).database
    assert first.claim(["a", "b"], 1).mine == ["a"]
    found = second.claim(["a", "b", "c"], 5)
    assert (found.busy, found.mine) == (["a"], ["b", "c"])
    first.release("a")
    assert second.claim(["a"], 1).mine == ["a"]
    monkeypatch.setattr("simtlab.lab.database.database.time.time", lambda: 4e9)
    assert first.claim(["a"], 1).mine == ["a"]  # its time was over
    first.renew()
    assert second.claim(["a"], 1).busy == ["a"]


def test_a_dead_owner_is_known_by_its_process(path):
    mine = claims.new_owner()
    place, pid, started, _ = mine.split("/")
    assert not claims.has_died(mine)
    assert claims.has_died(f"{place}/{2**22 + 1}/{started}/x")
    assert claims.has_died(f"{place}/{pid}/1/x")  # the number belongs to another process now
    assert not claims.has_died(f"elsewhere/{2**22 + 1}/{started}/x")
    assert not claims.has_died("nonsense")


# --- queries


def test_queries(path):
    store = Store(path)
    results = store.run([*RUNS[:3], Run("lessons/barrier", "wrong")])
    rows = store.sql(
        'SELECT cycles, "l2.hit_latency" AS n, mean_width FROM runs WHERE n > 10 AND cycles > 0'
    )
    assert [(row["n"], row["cycles"]) for row in rows] == [
        (10 + i, results[i].result.cycles) for i in (1, 2)
    ]
    (average,) = store.sql("SELECT avg(cycles) AS mean FROM runs WHERE width = ?", (16,))
    assert average["mean"] > 0
    assert [row["error"] for row in store.select("error IS NOT NULL")] == ["SIM405"]
    assert store.load(results[0].key[:10]) == results[0]
    frame = store.to_frame("program = 'lessons/nested'")
    assert list(frame["energy_nj"]) == [r.result.energy.total for r in results[:3]]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("SELECT cicles FROM runs", "did you mean `cycles`?"),
        ("SELECT * FROM run", "no such table"),
        ("DROP TABLE results", "not a query"),
        ("SELEC", "syntax error"),
        ("SELECT 1; SELECT 2", "one statement at a time"),
        ("INSERT INTO claims VALUES ('a', 'b', 1)", "readonly"),
    ],
)
def test_wrong_queries_are_one_message_and_change_nothing(path, query, text):
    store = Store(path)
    store.run(RUNS[:1])
    with pytest.raises(SimtError) as caught:
        store.sql(query)
    assert text in str(caught.value)
    assert len(store.select()) == 1


def test_keys_that_there_are_not(path):
    store = Store(path)
    store.run(RUNS)
    for key, text in (("zzzz", "no result"), ("", "more than one"), ("%", "more than one")):
        with pytest.raises(UsageError, match=text):
            store.load(key)


def test_results_are_removed(path):
    store = Store(path)
    store.run(RUNS)
    assert store.remove('"l2.hit_latency" >= 15') == 7
    assert len(store.select()) == 5
    assert len(store.database.query("SELECT * FROM configurations")) == 5
    assert store.remove("cycles < 0") == 0
