"""The domain's exceptions. None knows of HTTP.

::

    StreetsError                 a message for a person; `faults` lists each field at fault
    ├── CrsError                 an unknown, geographic or unusable coordinate reference system
    ├── GeometryError            a coordinate or shape that cannot be used
    ├── NetworkError             linework no Street Numbering Map can be derived from
    ├── UnknownStreetError       a street that is not in the village's linework
    ├── EditError                an officer's edit that a Street Numbering Map cannot take
    └── AddressError             a text that is no street address
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One thing wrong with an input: where, what was found, what was expected.

    Parameters
    ----------
    field
        The field, column or row at fault, such as ``"x"`` or ``"row 12: kind"``.
    found
        What stood there, as text.
    expected
        What should stand there.
    """

    field: str
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.field}: found {self.found}, expected {self.expected}"


class StreetsError(Exception):
    """Root of the domain's errors.

    Parameters
    ----------
    message
        A sentence for the person who gave the input.
    faults
        Each field at fault; may be empty.
    """

    def __init__(self, message: str, faults: Iterable[Fault] = ()) -> None:
        self.faults = tuple(faults)
        self.message = message
        told = [message, *map(str, self.faults)]
        super().__init__("\n".join(dict.fromkeys(told)))

    @classmethod
    def of(cls, field: str, found: object, expected: str) -> "StreetsError":
        """Make the error of a single field.

        Parameters
        ----------
        field
            The field, column or row at fault.
        found
            What stood there.
        expected
            What should stand there.

        Returns
        -------
        StreetsError
            An error of this kind.
        """
        fault = Fault(field, _shown(found), expected)
        return cls(str(fault), [fault])


class CrsError(StreetsError):
    """An unknown, geographic or unusable coordinate reference system."""


class GeometryError(StreetsError):
    """A coordinate or shape that cannot be used."""


class NetworkError(StreetsError):
    """Linework that no Street Numbering Map can be derived from."""


class UnknownStreetError(StreetsError):
    """A street that is not in the village's linework."""


class EditError(StreetsError):
    """An officer's edit that a Street Numbering Map cannot take."""


class AddressError(StreetsError):
    """A text that is no street address."""


def _shown(found: object) -> str:
    text = found if isinstance(found, str) else repr(found)
    text = text or "nothing"
    return text if len(text) <= 80 else text[:77] + "..."
