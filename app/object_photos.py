"""Photos of what stands in the street: a picture is decoded and written anew, so that nothing but its dots is kept."""

from __future__ import annotations

import hashlib
import io
import re
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from PIL import Image, UnidentifiedImageError
from sqlalchemy.engine import Connection

from app import registers
from app.audit import Act
from app.settings import plain
from app.street_tables import object_photos
from gis.errors import StreetsError

MOST_MB = 8
MOST_PHOTOS = 20
"""As many photos an object has at most, those taken off not counted."""
LONGEST_PX = 2000
MOST_PIXELS = 50_000_000
"""As many dots a picture has at most: a small file may hold a picture that fills the memory."""
KINDS = "a JPEG, PNG or WebP picture"
_MEDIA: Mapping[str, str] = MappingProxyType(
    {"JPEG": "image/jpeg", "MPO": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
)
_WRITTEN: Mapping[str, tuple[str, Mapping[str, int | bool]]] = MappingProxyType(
    {
        "image/jpeg": ("JPEG", {"quality": 88, "optimize": True}),
        "image/png": ("PNG", {"optimize": True}),
        "image/webp": ("WEBP", {"quality": 88}),
    }
)
_UNREADABLE = (OSError, SyntaxError, ValueError, TypeError, EOFError, IndexError, KeyError, OverflowError, struct.error)
_ALSO = re.compile(rb"<(?:script|html|svg[\s>]|\?php|!doctype html)", re.IGNORECASE)
_ORIENTATION = 0x0112
_TURNED = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


class PhotoError(StreetsError):
    """A file that is no photo, or one that is not taken."""


@dataclass(frozen=True)
class Picture:
    """A picture written anew.

    Parameters
    ----------
    media
        Its type, such as ``"image/jpeg"``.
    width, height
        In dots, upright.
    content
        The file.
    """

    media: str
    width: int
    height: int
    content: bytes

    @property
    def sha256(self) -> str:
        """The digest of the file."""
        return hashlib.sha256(self.content).hexdigest()


def cleaned(data: bytes) -> Picture:
    """Decode a picture and write it anew: turned upright, at most `LONGEST_PX` long, with nothing that it carried.

    A phone writes into a picture where it was taken, when and by which device. None of this is kept, nor a comment, a
    colour profile, a second picture or what follows the picture's end.

    Parameters
    ----------
    data
        The file as it was sent.

    Returns
    -------
    Picture
        To be kept.

    Raises
    ------
    PhotoError
        It is no JPEG, PNG or WebP, is cut short or damaged, has too many dots, or is another kind of file too.
    """
    if not data:
        raise PhotoError.of("file", "nothing", KINDS)
    if len(data) > MOST_MB * 1_000_000:
        raise PhotoError.of("file", f"{len(data) / 1e6:.1f} MB", f"at most {MOST_MB} MB")
    _refuse_other_files(data)
    try:
        with Image.open(io.BytesIO(data), formats=("JPEG", "PNG", "WEBP")) as image:
            _refuse_size(*image.size)
            media = _MEDIA[image.format or ""]
            image.draft("RGB", (LONGEST_PX, LONGEST_PX))  # a JPEG is then decoded no larger than it is kept
            return _written(_upright(image), media)
    except UnidentifiedImageError as error:
        raise PhotoError.of("file", _like(data), KINDS) from error
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise PhotoError.of("file", "a picture of too many dots", _dots(MOST_PIXELS)) from error
    except PhotoError:
        raise
    except _UNREADABLE as error:
        raise PhotoError.of("file", "a picture that is cut short or damaged", f"{KINDS} that is whole") from error


def _refuse_size(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise PhotoError.of("file", f"a picture of {width} by {height} dots", _dots(MOST_PIXELS))


def _dots(most: int) -> str:
    return f"at most {most // 1_000_000} million dots"


def _refuse_other_files(data: bytes) -> None:
    """Refuse what a browser or a program could take for a page, a document or an archive, too."""
    other = ""
    if b"%PDF-" in data[:1024]:
        other = "a PDF"
    elif _ALSO.search(data):
        other = "a page or a drawing with markup"
    elif zipfile.is_zipfile(io.BytesIO(data)):
        other = "an archive"
    if other:
        raise PhotoError.of("file", f"{other}, or a picture that is one too", KINDS)


def _like(data: bytes) -> str:
    """Say what a file that is no picture looks like."""
    known = {b"GIF8": "a GIF", b"BM": "a BMP", b"II*\0": "a TIFF", b"MM\0*": "a TIFF"}
    named = next((name for sign, name in known.items() if data.startswith(sign)), "")
    return (
        "a HEIC picture" if data[4:12] in {b"ftypheic", b"ftypheix", b"ftypmif1"} else named or "another kind of file"
    )


def _upright(image: Image.Image) -> Image.Image:
    """Return the dots alone, turned as the picture says it was held, no longer than `LONGEST_PX`."""
    image.load()
    turn = _TURNED.get(_orientation(image))
    plain_dots = _plain_mode(image)
    plain_dots.thumbnail((LONGEST_PX, LONGEST_PX), Image.Resampling.LANCZOS)
    if turn is not None:
        plain_dots = plain_dots.transpose(turn)
    bare = Image.new(plain_dots.mode, plain_dots.size)  # it has nothing of what the file said beside its dots
    bare.paste(plain_dots)
    return bare


def _orientation(image: Image.Image) -> int:
    try:
        found = image.getexif().get(_ORIENTATION, 1)
    except _UNREADABLE:
        return 1
    return found if isinstance(found, int) else 1


def _plain_mode(image: Image.Image) -> Image.Image:
    """Return a picture in grey, in colours, or in colours of which some can be seen through."""
    if image.mode in {"L", "RGB", "RGBA"} and "transparency" not in image.info:
        return image.copy()
    if image.mode.startswith("I;16"):
        return image.convert("I").point(lambda dot: dot / 256).convert("L")
    if image.mode in {"1", "I", "F"}:
        return image.convert("L")
    seen_through = "transparency" in image.info or image.mode in {"LA", "PA", "RGBa", "La", "RGBA"}
    return image.convert("RGBA" if seen_through else "RGB")


def _written(image: Image.Image, media: str) -> Picture:
    kind, options = _WRITTEN[media]
    made = io.BytesIO()
    image.save(made, kind, **options)
    return Picture(media, image.width, image.height, made.getvalue())


# --- keeping ---


def add(act: Act, object_id: int, picture: Picture, caption: str) -> registers.Row:
    """Keep a photo of an object.

    Parameters
    ----------
    act
        The act it belongs to.
    object_id
        The object, which is there.
    picture
        Cleaned.
    caption
        What it shows.

    Returns
    -------
    dict
        The photo's row without the picture itself.

    Raises
    ------
    PhotoError
        The object has as many as it may have, or the same picture already.
    StreetsError
        A caption that cannot be read.
    """
    told = read_caption(caption)
    there = listed(act.connection, object_id)
    if len(there) >= MOST_PHOTOS:
        raise PhotoError.of("file", f"{len(there)} photos of it already", f"at most {MOST_PHOTOS}")
    if any(row["sha256"] == picture.sha256 for row in there):
        raise PhotoError.of("file", "the same photo, which it has already", "another one")
    values = {"object_id": object_id, "media": picture.media, "width": picture.width, "height": picture.height}
    values |= {"bytes": picture.content, "sha256": picture.sha256, "caption": told, "removed_at": None}
    values |= {"made_at": act.at, "made_by": act.actor.name}
    row = registers.insert(act, "add photo", object_photos, values)
    return registers.recorded(object_photos, row)


def read_caption(text: str) -> str:
    """Read what a photo shows, one line."""
    told = " ".join(plain(text, "caption").split())
    if len(told) > 300:
        raise StreetsError.of("caption", f"{len(told)} characters", "at most 300")
    return told


def listed(connection: Connection, object_id: int) -> list[registers.Row]:
    """Return the photos of an object without the pictures themselves, the oldest first; not those taken off."""
    mine = (object_photos.c.object_id == object_id) & object_photos.c.removed_at.is_(None)
    return registers.rows(connection, object_photos, mine)


def get(connection: Connection, object_id: int, photo_id: int) -> registers.Row:
    """Return a photo of an object with its picture.

    Raises
    ------
    NotFoundError
        The object has none of this id, or it was taken off.
    """
    row = registers.find(connection, object_photos, photo_id)
    if row is None or row["object_id"] != object_id or row["removed_at"] is not None:
        raise registers.NotFoundError.of("photo", str(photo_id), "the id of one of its photos")
    return row


def take_off(act: Act, object_id: int, photo_id: int) -> None:
    """Take a photo off its object: it is no longer shown, and stays in the register.

    Raises
    ------
    NotFoundError
        There is none of this id, or it was taken off.
    """
    row = get(act.connection, object_id, photo_id)
    registers.update(act, "remove photo", object_photos, row, {"removed_at": act.at})
