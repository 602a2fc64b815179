"""HTTPS: certificates a phone takes, faults told before anybody connects, a real server and clients that verify it."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID
from playwright.sync_api import Browser

from app import tls
from app.settings import Settings
from app.tls import Certificates, TlsError, address_served, check_serving, make_certificates
from tests.conftest import ROOT, free_port, running

SCRIPT = str(Path(sys.executable).with_name("benton-streets"))


def certificate(file: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(file.read_bytes())


def extension(cert: x509.Certificate, kind: type[x509.ExtensionType]) -> x509.ExtensionType:
    return cert.extensions.get_extension_for_class(kind).value


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("tls"), ["streets.lan", "192.168.1.20"])


@contextmanager
def served(folder: Path, made: Certificates, *options: str, **environment: str) -> Iterator[tuple[int, Path, int]]:
    """Serve over HTTPS and give the port, the log and the process."""
    port, log = free_port(), folder / "log.txt"
    trusting = ssl.create_default_context(cafile=made.ca)

    def answers() -> bool:
        try:
            return get(port, trusting, "/api/v1/health")[0] == 200
        except OSError:
            return False

    command = [SCRIPT, "serve", "--port", str(port), "--tls-cert", str(made.cert), "--tls-key", str(made.key), *options]
    settings = {"BENTON_STATE_DIR": str(folder / "register"), **environment}
    with running(command, answers, log, env={**os.environ, **settings}, cwd=ROOT) as process:
        yield port, log, process.pid


def get(port: int, context: ssl.SSLContext, path: str, name: str = "127.0.0.1") -> tuple[int, dict[str, str], bytes]:
    raw = socket.create_connection(("127.0.0.1", port), timeout=10)
    try:
        wrapped = context.wrap_socket(raw, server_hostname=name)
    except OSError:
        raw.close()
        raise
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.sock = wrapped
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def refused(*options: object) -> str:
    """What `serve` says when it refuses to start; it never listens."""
    command = [SCRIPT, "serve", "--port", "0", *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert "Serving" not in done.stdout
    return done.stderr


# --- certificates ---


def test_the_servers_certificate_is_one_that_phones_take(made: Certificates) -> None:
    cert, ca = certificate(made.cert), certificate(made.ca)
    names = extension(cert, x509.SubjectAlternativeName)
    assert isinstance(names, x509.SubjectAlternativeName)
    assert names.get_values_for_type(x509.DNSName) == ["streets.lan", "localhost"]
    assert names.get_values_for_type(x509.IPAddress) == [*map(ip_address, ("192.168.1.20", "127.0.0.1", "::1"))]
    assert cert.not_valid_after_utc - cert.not_valid_before_utc <= timedelta(days=397)
    assert cert.not_valid_before_utc < datetime.now(UTC) < cert.not_valid_after_utc
    assert list(extension(cert, x509.ExtendedKeyUsage)) == [ExtendedKeyUsageOID.SERVER_AUTH]  # type: ignore[call-overload]
    assert extension(cert, x509.BasicConstraints).ca is False  # type: ignore[attr-defined]
    issuer = extension(cert, x509.AuthorityKeyIdentifier).key_identifier  # type: ignore[attr-defined]
    assert issuer == extension(ca, x509.SubjectKeyIdentifier).digest  # type: ignore[attr-defined]
    cert.verify_directly_issued_by(ca)


def test_the_authority_lasts_ten_years_and_its_keys_are_the_owners_alone(made: Certificates) -> None:
    ca = certificate(made.ca)
    assert extension(ca, x509.BasicConstraints).ca is True  # type: ignore[attr-defined]
    assert extension(ca, x509.KeyUsage).key_cert_sign is True  # type: ignore[attr-defined]
    assert ca.not_valid_after_utc - ca.not_valid_before_utc == timedelta(days=3652)
    assert [(file.stat().st_mode & 0o777) for file in (made.key, made.ca.with_name("ca.key"))] == [0o600, 0o600]
    assert b"PRIVATE" not in made.ca.read_bytes() + made.cert.read_bytes()


def test_the_authority_is_kept_and_the_servers_certificate_made_anew(tmp_path: Path) -> None:
    first = make_certificates(tmp_path, ["streets.lan"])
    authority, server = first.ca.read_bytes(), certificate(first.cert)
    again = make_certificates(tmp_path, ["10.0.0.5"])
    assert (first.reused, again.reused) == (False, True)
    assert again.ca.read_bytes() == authority
    assert again.fingerprint == first.fingerprint
    assert certificate(again.cert).serial_number != server.serial_number
    assert again.names[0] == "10.0.0.5"
    certificate(again.cert).verify_directly_issued_by(certificate(again.ca))


@pytest.mark.parametrize("host", ["", "a b", "https://streets.lan", "streets.lan:8000", "1.2.3", "999.1.1.1", "é.lan"])
def test_a_host_that_is_none_makes_no_file(tmp_path: Path, host: str) -> None:
    with pytest.raises(TlsError, match="--host"):
        make_certificates(tmp_path / "tls", [host])
    assert not (tmp_path / "tls").exists()


def test_half_an_authority_or_one_that_ends_soon_is_not_replaced_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tls, "AUTHORITY_LASTS", timedelta(days=29))
    made = make_certificates(tmp_path, ["streets.lan"])
    with pytest.raises(TlsError, match="good for 30 days more"):
        make_certificates(tmp_path, ["streets.lan"])
    made.ca.with_name("ca.key").unlink()
    with pytest.raises(TlsError, match="the authority's key: found no file"):
        make_certificates(tmp_path, ["streets.lan"])


def test_the_command_prints_the_line_to_serve_with(tmp_path: Path) -> None:
    folder = tmp_path / "the tls folder"
    command = [SCRIPT, "certificate", str(folder), "--host", "streets.lan", "--host", "192.168.1.20"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == (
        f"benton-streets serve --host 0.0.0.0 --tls-cert '{folder}/server.pem' --tls-key '{folder}/server.key'\n"
    )
    fingerprint = certificate(folder / "ca.pem").fingerprint(certificate(folder / "ca.pem").signature_hash_algorithm)  # type: ignore[arg-type]
    assert fingerprint.hex(":").upper() in done.stderr


# --- faults ---


def test_what_is_wrong_with_the_files_is_told_before_anybody_connects(tmp_path: Path, made: Certificates) -> None:
    other = make_certificates(tmp_path / "other", ["streets.lan"])
    text = tmp_path / "text.pem"
    text.write_text("no certificate")
    told = refused("--tls-cert", tmp_path / "none.pem", "--tls-key", tmp_path / "none.key")
    assert f"tls-cert: found no file that can be read at {tmp_path}/none.pem, expected a certificate in PEM" in told
    assert "tls-key: found no file that can be read" in told
    assert "given together" in refused("--tls-cert", made.cert)
    assert "the key of another certificate" in refused("--tls-cert", made.cert, "--tls-key", other.key)
    assert f"found no certificate in {text}" in refused("--tls-cert", text, "--tls-key", made.key)
    assert f"found no such key in {text}" in refused("--tls-cert", made.cert, "--tls-key", text)


def test_a_certificate_that_has_ended_is_not_served_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tls, "SERVER_LASTS", timedelta(minutes=59))
    ended = make_certificates(tmp_path, ["streets.lan"])
    with pytest.raises(TlsError, match=f"expected one in force today, {datetime.now(UTC):%Y-%m-%d}"):
        check_serving(Settings(tls_cert=ended.cert, tls_key=ended.key))


# --- serving ---


def test_a_client_that_trusts_the_authority_verifies_the_server(tmp_path: Path, made: Certificates) -> None:
    trusting = ssl.create_default_context(cafile=made.ca)
    with served(tmp_path, made) as (port, log, _):
        for name in ("127.0.0.1", "localhost", "streets.lan", "192.168.1.20"):
            assert get(port, trusting, "/api/v1/health", name)[0] == 200
        with pytest.raises(ssl.SSLCertVerificationError):
            get(port, trusting, "/", "elsewhere.lan")
        with pytest.raises(ssl.SSLCertVerificationError):
            get(port, ssl.create_default_context(), "/")
        link = re.search(rf"https://127\.0\.0\.1:{port}(/link/[\w-]{{43}})\n", log.read_text())
        assert link
        assert b"Sign in as Administrator" in get(port, trusting, link[1])[2]
        status, headers, body = get(port, trusting, "/ca.pem")
        assert (status, headers["content-type"], body) == (200, "application/x-x509-ca-cert", made.ca.read_bytes())
        assert "x-worker" not in headers


def test_a_page_over_https_may_ask_a_phone_for_its_position(
    tmp_path: Path, made: Certificates, browser: Browser
) -> None:
    with served(tmp_path, made, "--host", "0.0.0.0") as (port, log, _):
        assert f"https://streets.lan:{port}/" in log.read_text()
        here = {"latitude": 42.57, "longitude": -90.38}
        context = browser.new_context(ignore_https_errors=True, geolocation=here, permissions=["geolocation"])
        page = context.new_page()
        page.goto(f"https://127.0.0.1:{port}/")
        assert page.evaluate("isSecureContext") is True
        asked = "new Promise((ok, no) => navigator.geolocation.getCurrentPosition(p => ok(p.coords.latitude), no))"
        assert page.evaluate(asked) == 42.57
        link = re.search(r"/link/[\w-]{43}", log.read_text())
        assert link
        page.goto(f"https://127.0.0.1:{port}{link[0]}")
        page.click("main button")
        assert page.url.endswith("/account/password")
        context.close()


def test_the_authoritys_address_gives_its_certificate_and_never_a_key(tmp_path: Path, made: Certificates) -> None:
    both = tmp_path / "both.pem"
    both.write_bytes(made.ca.with_name("ca.key").read_bytes() + made.ca.read_bytes())
    assert tls.authority_pem(Settings(tls_ca=both)) == made.ca.read_bytes()
    for settings in (Settings(), Settings(tls_ca=made.key), Settings(tls_ca=tmp_path / "none.pem")):
        with pytest.raises(tls.NoAuthorityError):
            tls.authority_pem(settings)


def test_several_processes_serve_and_none_outlives_the_first(tmp_path: Path, made: Certificates) -> None:
    trusting = ssl.create_default_context(cafile=made.ca)
    with served(tmp_path, made, "--workers", "2", BENTON_SHOW_WORKER="1") as (port, _, pid):
        workers: set[str] = set()
        deadline = time.monotonic() + 60
        while len(workers) < 2 and time.monotonic() < deadline:
            workers.add(get(port, trusting, "/api/v1/health")[1]["x-worker"])
        assert len(workers) == 2
        assert str(pid) not in workers
        assert get(port, trusting, "/ca.pem")[0] == 200
        os.kill(pid, signal.SIGKILL)
        while any(alive(worker) for worker in workers) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert [worker for worker in workers if alive(worker)] == []


def alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ({}, "http://127.0.0.1:8000"),
        ({"host": "0.0.0.0", "port": 80}, "http://127.0.0.1:80"),
        ({"host": "::1"}, "http://[::1]:8000"),
        ({"host": "10.0.0.5"}, "http://10.0.0.5:8000"),
        ({"public_url": "https://numbers.example.org/"}, "https://numbers.example.org"),
    ],
)
def test_the_address_told_is_one_that_can_be_opened(given: dict[str, object], address: str) -> None:
    assert address_served(Settings(**given)) == address
