"""What commands import late, load or make once, so that forked processes need not do so again. Starts no thread."""

import gc
import os

import alembic.command  # noqa: F401
import numpy.ma  # noqa: F401
import pygments.lexers  # noqa: F401
import typer.main

import assay.adapters.sources.built.source
import assay.adapters.sources.folder.source
import assay.app.auditing
import assay.app.labelling
import assay.app.pages
import assay.app.queries
import assay.app.releases
import assay.ingest.html.reader
import assay.ingest.markdown.reader  # noqa: F401
from assay.adapters.embedders.static import StaticEmbedder
from assay.cli.main import command_line
from tests.quick import command_made_once, leave_to_the_system

StaticEmbedder().embed_documents(["A text."])
command_made_once(command_line())
typer.main.get_command = command_made_once
os.fsync = leave_to_the_system
gc.freeze()
