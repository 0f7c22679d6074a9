# Assay with the drivers of Qdrant and Postgres. docs/running.md says how to run it.
FROM python:3.11-slim-bookworm AS build

WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src ./src
COPY docs ./docs
COPY examples ./examples
# Bytecode is written here, because the file system is read-only later; that of tests never.
RUN python -m venv --without-pip /opt/assay \
    && pip --python /opt/assay/bin/python install --no-cache-dir --no-compile --constraint constraints.txt '.[qdrant,postgres,mcp]' \
    && python -m compileall -q -x '/tests?/' /opt/assay/lib \
    && /opt/assay/bin/assay demo --data-dir /tmp/demo

FROM python:3.11-slim-bookworm

RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin assay \
    && install --directory --owner assay --group assay /data /srv/assay
COPY --from=build /opt/assay /opt/assay

ENV PATH=/opt/assay/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    ASSAY_DATA_DIR=/data \
    ASSAY_VALIDATION__OUTPUT_DIR=/data/reports
WORKDIR /srv/assay
USER 10001
VOLUME /data
EXPOSE 8080

# Ready is what answers searches: a container without a live generation is not healthy.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8080/readyz', timeout=4)"]

ENTRYPOINT ["assay"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080", "--public"]
