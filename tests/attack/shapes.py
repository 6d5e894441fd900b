"""All shapes of the attack suite."""

from typing import Final

from tests.attack.documents import Shape
from tests.attack.shapes_files import FILES
from tests.attack.shapes_markup import MARKUP
from tests.attack.shapes_text import TEXT

SHAPES: Final[tuple[Shape, ...]] = (*MARKUP, *TEXT, *FILES)
