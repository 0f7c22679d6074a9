"""A certificate that no public CA signed."""

import shutil
import subprocess
from pathlib import Path

import pytest


def self_signed(folder: Path) -> Path:
    """A certificate for `localhost` with its key, signed by itself. Skips the test if openssl cannot make one."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    path = folder / "localhost.pem"
    options = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    made = subprocess.run(
        [openssl, "req", "-x509", *options, *names, "-keyout", path, "-out", path.with_suffix(".crt")],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("this openssl cannot make the certificate")
    path.write_bytes(path.read_bytes() + path.with_suffix(".crt").read_bytes())
    return path
