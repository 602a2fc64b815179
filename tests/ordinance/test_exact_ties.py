"""Drawing a line the other way must change no number (properties of the reading), also where geometry ties exactly."""

import pytest

from tests.building import street, village

# a symmetric ring on a stem; a ring on Van Buren Street; a street that crosses Main as far west as east of it
SITUATIONS = {
    "lollipop": (
        [[(-400, 0), (-400, 200)], [(-400, 200), (-300, 300), (-400, 400), (-500, 300), (-400, 200)]],
        (-340, 230),
    ),
    "ring on the axis": ([[(0, 100), (100, 200), (0, 300), (-100, 200), (0, 100)]], (70, 120)),
    "recrossed as far east as west": ([[(-300, 600), (-300, -600), (300, -600), (300, 600)]], (320, -100)),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_reversing_the_pieces_changes_no_number(name):
    pieces, door = SITUATIONS[name]
    drawn, reverse = (village(*(street("X Street", *p[::way]) for p in pieces)) for way in (1, -1))
    assert drawn.number("X Street", *door) == reverse.number("X Street", *door)
