"""Whom we believe to be who they say, and what is wrong with the others' certificates."""

import ssl
from pathlib import Path
from typing import NamedTuple

import httpx2

# Codes of OpenSSL's X509_V_ERR_*.
_NOT_YET_VALID, _HAS_EXPIRED = 9, 10
_OTHER_NAME = {62, 63, 64}


class Contexts(NamedTuple):
    verified: ssl.SSLContext
    unverified: ssl.SSLContext


def contexts(ca_file: Path | None) -> Contexts:
    verified = httpx2.create_ssl_context(trust_env=False)
    if ca_file is not None:
        verified.load_verify_locations(ca_file)
    return Contexts(verified, httpx2.create_ssl_context(verify=False))


class CertificateProblem(NamedTuple):
    kind: str
    words: str


def certificate_problem(error: BaseException) -> CertificateProblem | None:
    """What was wrong with the certificate, if that was what stopped the connection."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLCertVerificationError):
        cause = cause.__cause__ or cause.__context__
    if cause is None:
        return None
    code = getattr(cause, "verify_code", 0)
    if code in {_NOT_YET_VALID, _HAS_EXPIRED}:
        words = "is not valid yet" if code == _NOT_YET_VALID else "has expired"
        return CertificateProblem("tls_expired", f"the certificate {words}")
    if code in _OTHER_NAME:
        return CertificateProblem("tls_name", "the certificate is for another name")
    reason = getattr(cause, "verify_message", None) or "it cannot be verified"
    return CertificateProblem("tls_chain", f"the certificate is not trusted: {reason}")


def is_tls_failure(error: BaseException) -> bool:
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    return cause is not None
