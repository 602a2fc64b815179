"""Serving over HTTPS: a local authority that makes certificates, and the files checked before anybody connects."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.types import CertificateIssuerPrivateKeyTypes
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from app.settings import Settings
from gis.errors import Fault, StreetsError

AUTHORITY_LASTS = timedelta(days=3652)
SERVER_LASTS = timedelta(days=397)
"""Phones refuse a longer one."""
EARLIER = timedelta(hours=1)
"""A certificate begins a little before now, for a phone's clock may be behind."""
RENEWED_FROM = timedelta(days=30)
WILDCARDS = frozenset({"0.0.0.0", "::", ""})
"""Hosts that mean every address of this computer."""


class TlsError(StreetsError):
    """Certificate files that cannot be served with."""


class NoAuthorityError(StreetsError):
    """No local authority is set up here."""


@dataclass(frozen=True)
class Certificates:
    """The files a local authority made.

    Parameters
    ----------
    ca, cert, key
        The authority's certificate, the server's, and the server's key.
    names
        What the server's certificate is good for.
    expires
        When it ends.
    reused
        Whether the authority was there before, so that phones that trust it need nothing new.
    fingerprint
        Of the authority's certificate, SHA-256: what a phone shows before it trusts.
    """

    ca: Path
    cert: Path
    key: Path
    names: tuple[str, ...]
    expires: datetime
    reused: bool
    fingerprint: str


# --- making them ----------------------------------------------------------------------------------------------


def make_certificates(directory: Path, hosts: Sequence[str]) -> Certificates:
    """Make a server's certificate by a local authority, which is made too where there is none.

    Parameters
    ----------
    directory
        Where the files lie: ``ca.pem``, ``ca.key``, ``server.pem``, ``server.key``.
    hosts
        Names and IP addresses by which the server is opened; this computer's own are added.

    Returns
    -------
    Certificates
        The files, written.

    Raises
    ------
    TlsError
        A host is no name or address, or the authority that is there cannot be used.
    """
    names = _names([*hosts, "localhost", "127.0.0.1", "::1"])
    directory.mkdir(parents=True, exist_ok=True)
    ca_file, ca_key_file = directory / "ca.pem", directory / "ca.key"
    reused = ca_file.exists() or ca_key_file.exists()
    if reused:
        ca, ca_key = _authority(ca_file, ca_key_file)
    else:
        ca, ca_key = _new_authority(str(hosts[0]))
        _write_secret(ca_key_file, _private_pem(ca_key))
        ca_file.write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    key = ec.generate_private_key(ec.SECP256R1())
    cert = _server_certificate(key, names, ca, ca_key)
    made = directory / "server.pem", directory / "server.key"
    _write_secret(made[1], _private_pem(key))
    made[0].write_bytes(cert.public_bytes(serialization.Encoding.PEM))
    shown = tuple(str(name.value) for name in names)
    fingerprint = ca.fingerprint(hashes.SHA256()).hex(":").upper()
    return Certificates(ca_file, *made, shown, cert.not_valid_after_utc, reused, fingerprint)


def _names(hosts: Iterable[str]) -> list[x509.GeneralName]:
    found: dict[str, x509.GeneralName] = {}
    for host in hosts:
        try:
            address = ipaddress.ip_address(host.strip("[]"))
            found.setdefault(str(address), x509.IPAddress(address))
        except ValueError:
            name = host.strip().rstrip(".").lower()
            labels = name.split(".")
            fine = all(part and part.isascii() and part.replace("-", "").isalnum() for part in labels)
            if not fine or len(name) > 253 or all(part.isdigit() for part in labels):
                expected = "a name such as streets.lan, or an IP address such as 192.168.1.20"
                raise TlsError("The certificate cannot be made.", [Fault("--host", repr(host), expected)]) from None
            found.setdefault(name, x509.DNSName(name))
    return list(found.values())


def _new_authority(host: str) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    key = ec.generate_private_key(ec.SECP256R1())
    made_on = datetime.now(UTC)
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Village street numbers"),
            x509.NameAttribute(NameOID.COMMON_NAME, f"Local authority of {host}"[:64]),
        ]
    )
    usage = _usage(signs_certificates=True)
    cert = (
        _builder(name, name, key.public_key(), made_on, AUTHORITY_LASTS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .sign(key, hashes.SHA256())
    )
    return cert, key


def _server_certificate(
    key: ec.EllipticCurvePrivateKey,
    names: list[x509.GeneralName],
    ca: x509.Certificate,
    ca_key: CertificateIssuerPrivateKeyTypes,
) -> x509.Certificate:
    now = datetime.now(UTC)
    lasts = min(SERVER_LASTS, ca.not_valid_after_utc - now)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, str(names[0].value)[:64])])
    identifier = ca.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    return (
        _builder(subject, ca.subject, key.public_key(), now, lasts)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False)
        .sign(ca_key, hashes.SHA256())
    )


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime, lasts: timedelta
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - EARLIER)
        .not_valid_after(now - EARLIER + lasts)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _authority(cert_file: Path, key_file: Path) -> tuple[x509.Certificate, CertificateIssuerPrivateKeyTypes]:
    cert, key = read_pair(cert_file, key_file, "the authority's certificate", "the authority's key")
    constraints = cert.extensions.get_extension_for_class(x509.BasicConstraints).value
    if not constraints.ca:
        raise TlsError("The authority cannot be used.", [Fault(str(cert_file), "no authority", "its certificate")])
    if cert.not_valid_after_utc - datetime.now(UTC) < RENEWED_FROM:
        expected = f"one good for 30 days more: move it and {key_file.name} away, and phones trust the new one"
        found = f"one that ends on {cert.not_valid_after_utc:%Y-%m-%d}"
        raise TlsError("The authority cannot be used.", [Fault(str(cert_file), found, expected)])
    return cert, key


def _private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())


def _write_secret(path: Path, content: bytes) -> None:
    """Write a file that nobody but its owner could ever read, not even for a moment."""
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    part.replace(path)


# --- serving with them ----------------------------------------------------------------------------------------


def read_pair(
    cert_file: Path, key_file: Path, cert_field: str = "tls-cert", key_field: str = "tls-key"
) -> tuple[x509.Certificate, CertificateIssuerPrivateKeyTypes]:
    """Read a certificate and its key and check that they belong together and are in force.

    Parameters
    ----------
    cert_file, key_file
        PEM files.
    cert_field, key_field
        What they are called where one is at fault.

    Returns
    -------
    tuple of Certificate and private key
        The first certificate of the file, and the key.

    Raises
    ------
    TlsError
        A file is missing or cannot be read, the two do not belong together, or the certificate is not in force.
    """
    faults = [
        Fault(field, f"no file that can be read at {file}", expected)
        for field, file, expected in (
            (cert_field, cert_file, "a certificate in PEM"),
            (key_field, key_file, "its private key in PEM, without a password"),
        )
        if not (file.is_file() and os.access(file, os.R_OK))
    ]
    if faults:
        raise TlsError("HTTPS cannot be served.", faults)
    try:
        cert = x509.load_pem_x509_certificates(cert_file.read_bytes())[0]
    except ValueError:
        raise _at_fault(cert_field, f"no certificate in {cert_file}", "a certificate in PEM") from None
    try:
        key = serialization.load_pem_private_key(key_file.read_bytes(), password=None)
    except (ValueError, TypeError):
        expected = "a private key in PEM, without a password"
        raise _at_fault(key_field, f"no such key in {key_file}", expected) from None
    if key.public_key() != cert.public_key():
        raise _at_fault(key_field, f"{key_file}, the key of another certificate", f"the key of {cert_file}")
    now = datetime.now(UTC)
    if not cert.not_valid_before_utc <= now < cert.not_valid_after_utc:
        days = f"{cert.not_valid_before_utc:%Y-%m-%d} to {cert.not_valid_after_utc:%Y-%m-%d}"
        found = f"{cert_file}, in force from {days}"
        expected = f"one in force today, {now:%Y-%m-%d}; make one with: benton-streets certificate"
        raise _at_fault(cert_field, found, expected)
    return cert, key  # type: ignore[return-value]


def _at_fault(field: str, found: str, expected: str) -> TlsError:
    return TlsError("HTTPS cannot be served.", [Fault(field, found, expected)])


def check_serving(settings: Settings) -> bool:
    """Check what HTTPS is to be served with, before anybody connects.

    Parameters
    ----------
    settings
        With a certificate and its key, or neither.

    Returns
    -------
    bool
        Whether HTTPS is served.

    Raises
    ------
    TlsError
        One of the two is not given, or they cannot be served with.
    """
    if settings.tls_cert is None and settings.tls_key is None:
        return False
    if settings.tls_cert is None or settings.tls_key is None:
        field = "tls-cert" if settings.tls_cert is None else "tls-key"
        raise _at_fault(field, "nothing", "a PEM file: the certificate and its key are given together")
    read_pair(settings.tls_cert, settings.tls_key)
    return True


def address_served(settings: Settings) -> str:
    """Return the address that people of this installation open.

    Parameters
    ----------
    settings
        Where it listens, and whether with a certificate.

    Returns
    -------
    str
        Such as ``http://127.0.0.1:8000``; no slash at its end.
    """
    if settings.public_url:
        return settings.public_url.rstrip("/")
    host = settings.host
    if host in WILDCARDS:
        host = "127.0.0.1"
        if settings.tls_cert is not None and settings.tls_key is not None:
            host = _first_name(read_pair(settings.tls_cert, settings.tls_key)[0]) or host
    scheme = "https" if settings.tls_cert else "http"
    return f"{scheme}://{bracketed(host)}:{settings.port}"


def _first_name(cert: x509.Certificate) -> str:
    try:
        names = cert.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return ""
    return next((str(name.value) for name in names), "")


def bracketed(host: str) -> str:
    """Return a host as an address in the web holds it: IPv6 in brackets."""
    try:
        return f"[{host}]" if ipaddress.ip_address(host).version == 6 else host
    except ValueError:
        return host


# --- for phones -----------------------------------------------------------------------------------------------


def authority_pem(settings: Settings) -> bytes:
    """Return the local authority's certificate, and nothing else that its file may hold.

    Parameters
    ----------
    settings
        With ``tls_ca``, or with a certificate beside which lies ``ca.pem``.

    Returns
    -------
    bytes
        PEM.

    Raises
    ------
    NoAuthorityError
        None is set up.
    """
    beside = settings.tls_cert.with_name("ca.pem") if settings.tls_cert else None
    file = settings.tls_ca or beside
    none = NoAuthorityError("No local authority is set up here. Make one: benton-streets certificate DIR --host NAME")
    if file is None:
        raise none
    try:
        return x509.load_pem_x509_certificates(file.read_bytes())[0].public_bytes(serialization.Encoding.PEM)
    except (OSError, ValueError):
        raise none from None
