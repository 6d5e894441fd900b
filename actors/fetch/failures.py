"""From what went wrong to what becomes of the row."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus

import httpcore2
import httpx2

from actors.errors import Busy, Denied, FetchError, NotThere, ServerFault, TooSlow, Unreachable, Unusable
from actors.fetch.certificates import certificate_problem, is_tls_failure
from actors.fetch.deadline import DeadlinePassed
from actors.fetch.errand import Errand

SHORTEST_RETRY = timedelta(seconds=5)
LONGEST_RETRY = timedelta(hours=1)
UNSAID_RETRY = timedelta(seconds=60)

_LIBRARY_ERRORS = (
    DeadlinePassed,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.TimeoutException,
    httpcore2.UnsupportedProtocol,
    httpx2.DecodingError,
    OSError,
    # A name or a header that TLS or HTTP cannot write.
    ValueError,
)
_CUT_OFF = ("Server disconnected", "peer closed connection")


@contextmanager
def fetch_errors(errand: Errand) -> Iterator[None]:
    """Inside, no error of a library gets out."""
    try:
        yield
    except _LIBRARY_ERRORS as error:
        raise _failure(error, errand) from error


def _failure(error: Exception, errand: Errand) -> FetchError:  # noqa: PLR0911 - one line per kind of failure
    url = errand.url
    if isinstance(error, DeadlinePassed) or (
        isinstance(error, httpcore2.TimeoutException) and errand.deadline.has_passed
    ):
        return TooSlow(f"{url}: no answer within {errand.deadline.seconds:g} s", kind="deadline", url=url)
    problem = certificate_problem(error)
    if problem is not None:
        return Unusable(f"{url}: {problem.words}", kind=problem.kind, url=url)
    if isinstance(error, httpx2.DecodingError):
        return Unusable(f"{url}: the answer is not encoded as it says", kind="encoding", url=url)
    if isinstance(error, httpcore2.ConnectTimeout):
        return Unreachable(f"{url}: no connection in time", kind="connect", url=url)
    if isinstance(error, httpcore2.TimeoutException):
        return TooSlow(f"{url}: the server fell silent", kind="silent", url=url)
    if isinstance(error, httpcore2.ConnectError):
        if is_tls_failure(error):
            message = f"{url}: TLS could not be agreed upon ({_first_line(error)})"
            return Unreachable(message, kind="tls_handshake", url=url)
        return Unreachable(f"{url}: no connection ({_first_line(error)})", kind="connect", url=url)
    if isinstance(error, httpcore2.LocalProtocolError):
        # Its words quote the header that cannot be written, and that may be a key.
        return Unusable(f"{url}: the request cannot be written down in HTTP", kind="request", url=url)
    if isinstance(error, (httpcore2.NetworkError, OSError)) or str(error).startswith(_CUT_OFF):
        return Unreachable(f"{url}: the connection was cut off ({_first_line(error)})", kind="cut_off", url=url)
    return Unusable(f"{url}: the server does not speak HTTP ({_first_line(error)})", kind="protocol", url=url)


def _first_line(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:200]


def is_success(status: int) -> bool:
    return 200 <= status < 300  # noqa: PLR2004 - 2xx


def failed_status(status: int, headers: Mapping[str, str], url: str) -> FetchError:
    """What a status other than 2xx says."""
    words = f"{url}: {status} {_phrase(status)}".rstrip()
    kind = f"http_{status}"
    asked_to_wait = retry_after(headers)
    if status == HTTPStatus.TOO_MANY_REQUESTS or (status == HTTPStatus.SERVICE_UNAVAILABLE and asked_to_wait):
        return Busy(words, kind=kind, url=url, status=status, delay=asked_to_wait or UNSAID_RETRY)
    if status in {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY} or 500 <= status < 600:  # noqa: PLR2004 - 5xx
        return ServerFault(words, kind=kind, url=url, status=status)
    # Some large sites say no with a number of their own, 999.
    if status in {401, 403, 407, 451} or status >= 600:  # noqa: PLR2004 - no status of the standard
        return Denied(words, kind=kind, url=url, status=status)
    if 400 <= status < 500:  # noqa: PLR2004 - 4xx
        return NotThere(words, kind=kind, url=url, status=status)
    return Unusable(words, kind=kind, url=url, status=status)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def retry_after(headers: Mapping[str, str]) -> timedelta | None:
    """How long the server wants to be left alone, within reason."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        # More digits than this is more than an hour in any case.
        wanted = timedelta(seconds=int(text[:9]))
    else:
        try:
            then = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            return None
        wanted = (then if then.tzinfo else then.replace(tzinfo=UTC)) - datetime.now(UTC)
    return min(max(wanted, SHORTEST_RETRY), LONGEST_RETRY)
