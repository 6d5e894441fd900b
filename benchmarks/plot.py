"""Small plots as SVG, written by hand: bars that lie, lines that run, and nothing that a browser must load."""

from html import escape

from benchmarks.section import Plot

WIDTH, ROW, MARGIN, LABEL = 720, 26, 40, 300
HEIGHT = 300
COLOURS = ("#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#475569")
STYLE = "text{font:12px system-ui,sans-serif;fill:#334155}.t{font-weight:600;font-size:14px}.a{stroke:#94a3b8}"


def svg(plot: Plot) -> str:
    body, height = _bars(plot) if plot.bars else _lines(plot)
    title = escape(f"{plot.title}, {plot.unit}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{title}">'
        f'<style>{STYLE}</style><rect width="100%" height="100%" fill="#fff"/>'
        f'<text class="t" x="10" y="20">{title}</text>{body}</svg>\n'
    )


def _bars(plot: Plot) -> tuple[str, int]:
    most = max(plot.bars.values()) or 1
    drawn = []
    for number, (label, value) in enumerate(plot.bars.items()):
        top = MARGIN + number * ROW
        long = (WIDTH - LABEL - 90) * value / most
        colour = COLOURS[0] if number == 0 else COLOURS[-1]
        drawn.append(
            f'<text x="{LABEL - 8}" y="{top + 14}" text-anchor="end">{escape(label)}</text>'
            f'<rect x="{LABEL}" y="{top}" width="{long:.1f}" height="18" fill="{colour}"/>'
            f'<text x="{LABEL + long + 6:.1f}" y="{top + 14}">{_short(value)}</text>'
        )
    return "".join(drawn), MARGIN + len(plot.bars) * ROW + 10


def _lines(plot: Plot) -> tuple[str, int]:
    points = [point for line in plot.lines.values() for point in line]
    right, top = max(x for x, _ in points) or 1, max(y for _, y in points) or 1
    left, low, high = 70, HEIGHT - 30, MARGIN + 10

    def place(x: float, y: float) -> str:
        return f"{left + (WIDTH - left - 190) * x / right:.1f},{low - (low - high) * y / top:.1f}"

    axes = (
        f'<path class="a" d="M{left},{high}V{low}H{WIDTH - 190}" fill="none"/>'
        f'<text x="{left - 6}" y="{high + 4}" text-anchor="end">{_short(top)}</text>'
        f'<text x="{left - 6}" y="{low}" text-anchor="end">0</text>'
        f'<text x="{WIDTH - 190}" y="{low + 18}" text-anchor="end">{_short(right)}</text>'
    )
    drawn = [axes]
    for number, (label, line) in enumerate(plot.lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(place(x, y) for x, y in line)
        drawn.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
            f'<text x="{WIDTH - 180}" y="{high + 10 + number * 18}" style="fill:{colour}">{escape(label)}</text>'
        )
    return "".join(drawn), HEIGHT


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
