"""The same numbering as a PostGIS pipeline: the nearest street's segment, then the arithmetic in SQL.

The tables are those that `gis.numbering` looks up. The statement is the fastest found: a nearest-neighbour order
(`<->`), DISTINCT ON a join, and distances in SQL instead of ST_Distance were all slower or no faster.
"""

from itertools import accumulate
from typing import Any

import numpy as np
import psycopg

from gis.frontages import Frontages
from gis.linework import Ints
from tests.bench.county import LAW, County

REACH_FT = 130
"""No point lies farther from its street. gis.locate searches 300 ft: the shorter reach is in PostGIS's favour."""

SCHEMA = """
CREATE UNLOGGED TABLE segments (
    id int, path int, key_ft float8, x float8, y float8, dx float8, dy float8, length float8, start_left_x float8,
    start_left_y float8, end_left_x float8, end_left_y float8, open_start bool, open_end bool, geom geometry);
CREATE UNLOGGED TABLE halves (
    id int PRIMARY KEY, path int, low float8, high float8, at_low int, at_high int, origin float8, direction int,
    way_ft float8, even_is_left bool, from_ft float8, to_ft float8, blocks_before int, starts int[]);
CREATE UNLOGGED TABLE blocks (id int PRIMARY KEY, start int, hundred int, unit_ft int, open bool);
CREATE UNLOGGED TABLE points (id int, x float8, y float8, geom geometry);
"""

INDEX = """
UPDATE segments SET geom = ST_MakeLine(ST_MakePoint(x, y), ST_MakePoint(x + dx, y + dy));
UPDATE points SET geom = ST_MakePoint(x, y);
CREATE INDEX segments_geom ON segments USING gist (geom);
CLUSTER segments USING segments_geom;
CREATE INDEX ON halves (path);
VACUUM FULL points;
VACUUM ANALYZE;
"""

NUMBER = f"""
CREATE UNLOGGED TABLE numbers AS
WITH nearest AS MATERIALIZED (
    SELECT p.id, p.x, p.y, s.*
    FROM points p CROSS JOIN LATERAL (
        SELECT s.path, s.key_ft, s.x AS sx, s.y AS sy, dx, dy, length, start_left_x, start_left_y, end_left_x,
            end_left_y, open_start, open_end
        FROM segments s
        WHERE ST_DWithin(s.geom, p.geom, {REACH_FT})
        ORDER BY ST_Distance(s.geom, p.geom), s.id LIMIT 1) s),
along AS (SELECT *, ((x - sx) * dx + (y - sy) * dy) / length AS along FROM nearest OFFSET 0),
foot AS (
    SELECT *, LEAST(GREATEST(along, 0), length) / length AS share,
        CASE WHEN along <= 0 THEN start_left_x WHEN along >= length THEN end_left_x ELSE -dy / length END AS left_x,
        CASE WHEN along <= 0 THEN start_left_y WHEN along >= length THEN end_left_y ELSE dx / length END AS left_y
    FROM along OFFSET 0),
off AS (
    SELECT id, path, key_ft + share * length AS key, x - (sx + share * dx) AS off_x, y - (sy + share * dy) AS off_y,
        left_x, left_y, along <= 0 AND open_start OR along >= length AND open_end AS past
    FROM foot OFFSET 0),
side AS (
    SELECT id, path, key, off_x * left_x + off_y * left_y AS square,
        CASE WHEN past THEN abs(off_x * left_x + off_y * left_y) ELSE sqrt(off_x * off_x + off_y * off_y) END AS away
    FROM off),
taken AS (
    SELECT side.*, CASE WHEN key <= low + 0.005 THEN at_low WHEN key >= high - 0.005 THEN at_high ELSE h.id END AS half
    FROM side JOIN halves h ON h.path = side.path AND key >= from_ft AND key < to_ft),
station AS (
    SELECT t.id, away, ((square > 0) = (direction > 0)) = even_is_left AS even, blocks_before, starts,
        round(GREATEST(way_ft + direction * (key - origin), 0) * 100)::int AS station
    FROM taken t JOIN halves h ON h.id = t.half OFFSET 0),
placed AS (
    SELECT s.id, away, even, station, start, hundred, unit_ft,
        CASE WHEN open THEN (station - start) / ({LAW.open_block_ft} * 100) ELSE 0 END AS further
    FROM station s JOIN blocks b ON b.id = blocks_before + width_bucket(station, starts) - 1)
SELECT id, CASE WHEN away <= $side_ft THEN 0 ELSE
    hundred + further * {LAW.hundred} + CASE WHEN even THEN {LAW.first_even} ELSE {LAW.first_odd} END
    + 2 * LEAST((station - start - further * {LAW.open_block_ft * 100}) / (unit_ft * 100), {LAW.last_unit})
    END AS number
FROM placed
"""


class PostGis:
    """A county loaded into PostGIS, clustered, indexed and analysed."""

    def __init__(self, dsn: str, made: County) -> None:
        self.connection = psycopg.connect(dsn, autocommit=True)
        self.count = len(made.x)
        self.side_ft = made.frontages.map.network.reading.side_ft
        self.connection.execute(SCHEMA)
        self._copy("segments", _segments(made.frontages))
        self._copy("halves", _halves(made.frontages))
        self._copy("blocks", _blocks(made.frontages))
        self._copy("points", [range(self.count), made.x.tolist(), made.y.tolist()])
        for statement in INDEX.strip().split(";\n"):
            self.connection.execute(statement.encode())

    def _copy(self, table: str, columns: list[Any]) -> None:
        names = self.connection.execute(f"SELECT * FROM {table} LIMIT 0".encode()).description or ()
        wanted = ", ".join(column.name for column in names[: len(columns)])
        with (
            self.connection.cursor() as cursor,
            cursor.copy(f"COPY {table} ({wanted}) FROM STDIN".encode()) as copy,
        ):
            for row in zip(*columns, strict=True):
                copy.write_row(row)

    def number(self) -> None:
        """Number every point, and write the numbers to a table."""
        self.connection.execute("DROP TABLE IF EXISTS numbers")
        self.connection.execute(NUMBER.replace("$side_ft", repr(self.side_ft)).encode())

    def numbers(self) -> Ints:
        """The numbers written last, in the order of the points; -1 where there is none."""
        found = np.full(self.count, -1, dtype=np.int64)
        rows = np.array(self.connection.execute("SELECT id, number FROM numbers").fetchall(), dtype=np.int64)
        found[rows[:, 0]] = rows[:, 1]
        return found


def _segments(frontages: Frontages) -> list[Any]:
    lines, path_key = frontages.columns.segments, frontages.columns.path_key
    columns = [np.arange(len(lines.x)), lines.owner, path_key[lines.owner] + lines.station, lines.x, lines.y]
    columns += [lines.dx, lines.dy, lines.length, lines.start_left_x, lines.start_left_y]
    columns += [lines.end_left_x, lines.end_left_y, lines.open_start, lines.open_end]
    return [column.tolist() for column in columns]


def _halves(frontages: Frontages) -> list[Any]:
    table = frontages.plain.halves
    paths = [half.street for half in frontages.map.halves]
    ids = range(len(paths))
    first = [k == 0 or paths[k - 1] != paths[k] for k in ids]
    last = [k == len(paths) - 1 or paths[k + 1] != paths[k] for k in ids]
    from_ft = [-np.inf if first[k] else table.low[k] for k in ids]
    to_ft = [np.inf if last[k] else table.low[k + 1] for k in ids]
    starts: list[list[int]] = [[] for _ in ids]
    for row, start in zip(frontages.map.rows, frontages.plain.rows.start, strict=True):
        starts[row.half].append(start)
    before = [0, *accumulate(map(len, starts))][:-1]
    columns = [ids, paths, table.low, table.high, table.at_low, table.at_high, table.origin, table.direction]
    return [*columns, table.way_ft, table.even_is_left, from_ft, to_ft, before, starts]


def _blocks(frontages: Frontages) -> list[Any]:
    table = frontages.plain.rows
    return [range(len(table.start)), table.start, table.hundred, table.unit_ft, table.open]
