"""The command line's contract, run as a process as others run it."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

PLAT = {
    "Main Street": [(-2000, 0), (2000, 0)],
    "Van Buren Street": [(0, -2000), (0, 2000)],
    "First Avenue": [(-2000, 330), (2000, 330)],
    "Second Avenue": [(100, 660), (2000, 660)],
    "Alma Street": [(440, -700), (440, 1500)],
}
OPTIONS = ("--base-ew", "Main Street", "--base-ns", "Van Buren Street", "--crs", "EPSG:7608")
NUMBER_HEADER = ["id", "street", "half", "number", "block", "unit_ft", "into_ft", "findings"]
BLOCK_HEADER = [
    *("street", "half", "block", "from_ft", "to_ft", "length_ft", "unit_ft"),
    *("bounded_by", "built", "virtual", "findings"),
]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("benton-streets")), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def feature(name: str, coordinates: Sequence[tuple[float, float]], **properties: object) -> dict[str, object]:
    geometry = {"type": "LineString", "coordinates": coordinates}
    return {"type": "Feature", "properties": {"name": name, **properties}, "geometry": geometry}


def read(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text(encoding="utf-8").splitlines()))


def records(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


@pytest.fixture
def plat(tmp_path: Path) -> Path:
    path = tmp_path / "plat.geojson"
    features = [feature(name, line) for name, line in PLAT.items()]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def numbered(tmp_path: Path, plat: Path, points: str) -> list[list[str]]:
    given, out = tmp_path / "points.csv", tmp_path / "out.csv"
    given.write_text(points, encoding="utf-8")
    done = run("number", given, "--streets", plat, *OPTIONS, "--out", out)
    assert done.returncode == 0, done.stderr
    rows = read(out)
    assert rows[0] == NUMBER_HEADER
    return rows[1:]


def test_each_point_gets_its_row_in_the_order_of_the_file(tmp_path: Path, plat: Path) -> None:
    points = "id,street,x,y\nb,Alma Street,400,471\na,Van Buren Street,50,10\nc,Main Street,-700,-30\n"
    assert numbered(tmp_path, plat, points) == [
        # First to Second Avenue is 330 ft: 8 ft a number; (471 - 330) / 8 is 17 units; west is odd
        ["b", "Alma Street", "North", str(100 + 11 + 2 * 17), "1", "8", "141.00", ""],
        ["a", "Van Buren Street", "North", "12", "0", "8", "10.00", ""],
        ["c", "Main Street", "West", "115", "1", "15", "40.00", ""],
    ]


def test_a_blank_street_is_found_and_one_however_spelt_is_known(tmp_path: Path, plat: Path) -> None:
    rows = numbered(tmp_path, plat, "id,street,x,y\n1,,400,500\n2,alma st.,400,500\n")
    assert [row[1:4] for row in rows] == [["Alma Street", "North", "153"]] * 2


def test_a_bad_row_gets_its_finding_and_stops_nothing(tmp_path: Path, plat: Path) -> None:
    points = (
        "id,street,x,y\n1,Nowhere Street,100,40\n2,Main Street,abc,40\n3,Main Street,,\n4,,nan,3\n"
        # the hull's eastern edge lies at x = 2000, so the village ends at 2660
        "5,Main Street,2661,0\n6,Main Street,2659,40\n7,Main Street,100\n8,Main Street,100,40\n"
    )
    rows = numbered(tmp_path, plat, points)
    assert [(row[0], row[3], row[7]) for row in rows[:5]] == [
        ("1", "", "UNKNOWN_STREET"),
        ("2", "", "BAD_COORDINATE"),
        ("3", "", "BAD_COORDINATE"),
        ("4", "", "BAD_COORDINATE"),
        ("5", "", "OUT_OF_VILLAGE"),
    ]
    assert (rows[5][0], rows[5][7]) == ("6", "PAST_END")
    assert rows[5][3] != ""
    assert [(row[0], row[3], row[7]) for row in rows[6:]] == [("7", "", "BAD_COORDINATE"), ("8", "30", "")]


def test_ids_are_given_back_as_they_came(tmp_path: Path, plat: Path) -> None:
    rows = numbered(tmp_path, plat, 'id,street,x,y\n=1,Main Street,100,40\n"a,""b",Main Street,100,40\n,,100,40\n')
    assert [row[0] for row in rows] == ["=1", 'a,"b', ""]


def test_other_columns_and_their_order_do_not_matter(tmp_path: Path, plat: Path) -> None:
    assert numbered(tmp_path, plat, "\ufeffY,note,X,ID,Street\n40,n,100,1,Main Street\n")[0][3] == "30"


def test_the_block_table(tmp_path: Path, plat: Path) -> None:
    out = tmp_path / "blocks.csv"
    done = run("blocks", "--streets", plat, *OPTIONS, "--out", out)
    assert done.returncode == 0, done.stderr
    rows = read(out)
    assert rows[0] == BLOCK_HEADER
    north = [row for row in rows if row[:2] == ["Alma Street", "North"]]
    assert north == [
        [
            *("Alma Street", "North", "0", "0.00", "330.00", "330.00", "8"),
            "Main Street;First Avenue",
            "true",
            "false",
            "",
        ],
        [
            *("Alma Street", "North", "1", "330.00", "660.00", "330.00", "8"),
            "First Avenue;Second Avenue",
            "true",
            "false",
            "",
        ],
        # 840 ft of street past the last crossing: two open blocks
        [*("Alma Street", "North", "2", "660.00", "1320.00", "660.00", "15"), "Second Avenue", "false", "true", ""],
        [*("Alma Street", "North", "3", "1320.00", "1980.00", "660.00", "15"), "", "false", "true", ""],
    ]


def test_several_rows_of_one_name_are_one_street_and_pieces_may_have_no_kind(tmp_path: Path) -> None:
    path = tmp_path / "pieces.geojson"
    lines = [(name, line) for name, line in PLAT.items() if name != "Alma Street"]
    lines += [("Alma Street", [(440, 700), (440, 1500)]), ("Alma Street", [(440, -700), (440, 700)])]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [feature(*line) for line in lines]}))
    assert numbered(tmp_path, path, "id,street,x,y\n1,Alma Street,400,471\n")[0][3] == "145"


def test_a_file_is_reprojected_from_the_crs_it_declares(tmp_path: Path) -> None:
    """The plat about a point of Benton, declared in metres: a US survey foot is 1200/3937 m."""
    metre = 1200 / 3937
    features = [feature(n, [(x * metre + 5e5, y * metre + 2e5) for x, y in line]) for n, line in PLAT.items()]
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::7549"}}
    path = tmp_path / "metres.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "crs": crs, "features": features}))
    given, out = tmp_path / "points.csv", tmp_path / "out.csv"
    x, y = 400 + 5e5 / metre, 471 + 2e5 / metre
    given.write_text(f"id,street,x,y\n1,Alma Street,{x:.3f},{y:.3f}\n")
    done = run("number", given, "--streets", path, *OPTIONS, "--out", out)
    assert done.returncode == 0, done.stderr
    assert read(out)[1][1:4] == ["Alma Street", "North", "145"]


def test_in_a_crs_of_metres_lengths_are_feet_all_the_same(tmp_path: Path) -> None:
    metre = 1200 / 3937
    features = [feature(n, [(x * metre, y * metre) for x, y in line]) for n, line in PLAT.items()]
    path, given, out = tmp_path / "plat.geojson", tmp_path / "points.csv", tmp_path / "out.csv"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    given.write_text(f"id,street,x,y\n1,Alma Street,{400 * metre:.4f},{471 * metre:.4f}\n")
    done = run("number", given, "--streets", path, *OPTIONS[:4], "--crs", "EPSG:7549", "--out", out)
    assert done.returncode == 0, done.stderr
    assert read(out)[1][1:7] == ["Alma Street", "North", "145", "1", "8", "141.00"]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (("--streets", "nowhere.geojson"), "nowhere.geojson"),
        (("--base-ew", "No Street"), "No Street"),
        (("--base-ns", "Main Street"), "base_ns"),
        (("--crs", "EPSG:4326"), "EPSG:4326"),
        (("--crs", "EPSG:1"), "EPSG:1"),
    ],
)
def test_what_cannot_be_read_ends_with_2_and_says_why(
    tmp_path: Path, plat: Path, changed: tuple[str, str], told: str
) -> None:
    given, out = tmp_path / "points.csv", tmp_path / "out.csv"
    given.write_text("id,street,x,y\n1,Main Street,100,40\n")
    options = dict(zip(OPTIONS[::2], OPTIONS[1::2], strict=True)) | {"--streets": str(plat)} | dict([changed])
    done = run("number", given, *(word for pair in options.items() for word in pair), "--out", out)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert not out.exists()


@pytest.mark.parametrize("content", [b"", b"id,x,y\n1,2,3\n", b"\xff\xfe\x00", b"id,street,x,y\n\x00,,,\n"])
def test_a_file_of_points_that_is_none_ends_with_2(tmp_path: Path, plat: Path, content: bytes) -> None:
    given, out = tmp_path / "points.csv", tmp_path / "out.csv"
    given.write_bytes(content)
    done = run("number", given, "--streets", plat, *OPTIONS, "--out", out)
    assert (done.returncode, out.exists()) in {(2, False), (0, True)}
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("out", [".", "..", "missing/out.csv"])
def test_an_out_that_is_no_file_ends_with_2(tmp_path: Path, plat: Path, out: str) -> None:
    done = run("blocks", "--streets", plat, *OPTIONS, "--out", tmp_path / out if "/" in out else out)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_no_input_is_written_over(tmp_path: Path, plat: Path) -> None:
    before = plat.read_bytes()
    assert run("blocks", "--streets", plat, *OPTIONS, "--out", plat).returncode == 2
    assert plat.read_bytes() == before


def test_the_village_s_own_files_serve_without_options(tmp_path: Path) -> None:
    """Main Street east of Van Buren: 300.4, 293.5 and 385.1 ft, bounded by Unnamed 01, 02 and 03."""
    out = tmp_path / "blocks.csv"
    assert run("blocks", "--out", out).returncode == 0
    rows = [row for row in records(out) if (row["street"], row["half"]) == ("Main Street", "East")]
    assert [float(row["length_ft"]) for row in rows[:3]] == pytest.approx([300.4, 293.5, 385.1], abs=2)
    assert [row["bounded_by"].split(";")[-1] for row in rows[:3]] == ["Unnamed 01", "Unnamed 02", "Unnamed 03"]
    assert [row["unit_ft"] for row in rows[:3]] == ["7", "7", "9"]


def test_check_data_names_every_fault_by_row(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text(
        'working_crs = "EPSG:7608"\n[village]\nname = "V"\ncounty = "C"\nstate = "S"\n'
        '[base_lines]\new = "Main Street"\nns = "Van Buren Street"\n'
    )
    features = [
        feature("Main Street", [(0, 0), (900, 0)]),
        feature("", [(0, 0), (1, 1)]),
        feature("A", [(0, 0), (0, 0)]),
    ]
    (tmp_path / "streets.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    done = run("check-data", "--data", tmp_path)
    assert done.returncode == 2
    assert "row 2: name" in done.stderr
    assert "row 3: geometry" in done.stderr
    assert run("check-data").returncode == 0


def test_the_law_of_a_day_and_none_before_its_first() -> None:
    shown = run("law", "--date", "2026-06-01")
    assert shown.returncode == 0
    assert "block_divisor = 44 number" in shown.stdout
    assert "assumed" in shown.stdout
    before = run("law", "--date", "1999-01-01")
    assert before.returncode == 2
    assert "2002-10-02" in before.stderr


def test_a_file_that_is_no_regular_one_is_written_to_and_never_replaced(tmp_path: Path, plat: Path) -> None:
    pipe, link, target = tmp_path / "pipe", tmp_path / "link", tmp_path / "target.csv"
    os.mkfifo(pipe)
    target.write_text("old")
    link.symlink_to(target)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        assert run("blocks", "--streets", plat, *OPTIONS, "--out", pipe).returncode == 0
        assert reader.stdout is not None
        assert reader.stdout.read().startswith("street,half,block")
    assert pipe.is_fifo()
    assert run("blocks", "--streets", plat, *OPTIONS, "--out", link).returncode == 0
    assert link.is_symlink()
    assert target.read_text().startswith("street,half,block")
