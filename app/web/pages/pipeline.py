"""/ : the pipeline as a picture, stage by stage."""

from flask import Blueprint

from app.web.reader import reader
from app.web.rendering import page
from app.web.stages import read_pipeline

pipeline = Blueprint("pipeline", __name__)


@pipeline.get("/")
def show() -> str:
    asked = reader()
    return page("pipeline", pipeline=read_pipeline(asked), workflows=asked.workflows)
