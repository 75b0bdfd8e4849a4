import { curveLinear, curveStepAfter, line } from 'd3-shape';
import { escapeText } from '../escape-text.ts';
import type { Axes } from './axes.ts';
import type { Chart, Series } from './chart.ts';
import { frame, place, written } from './svg.ts';

interface Marked {
  readonly chart: Chart;
  readonly series: Series;
  /** Which of the chart's series it is. */
  readonly index: number;
  readonly axes: Axes;
}

const mostDots = 40;

/** A line or steps through the points; where they are few, each is a dot that tells its values. */
export function lineMarks({ chart, series, axes }: Marked): string {
  const path = line<readonly [number, number]>(
    ([x]) => place(axes.x.at(x)),
    ([, y]) => place(axes.y.at(y)),
  ).curve(chart.kind === 'steps' ? curveStepAfter : curveLinear);
  const drawn = `<path class="plot-line" d="${path([...series.points]) ?? ''}"/>`;
  if (chart.kind === 'steps' || series.points.length > mostDots) return drawn;
  const dots = series.points.map(
    ([x, y]) =>
      `<circle class="plot-fill" cx="${place(axes.x.at(x))}" cy="${place(axes.y.at(y))}" r="3">${tip(series, x, y)}</circle>`,
  );
  return drawn + dots.join('');
}

/** Bars of several series stand side by side. */
export function barMarks({ chart, series, index, axes }: Marked): string {
  const width = axes.x.bandwidth / chart.series.length;
  return series.points
    .map(([x, y]) => {
      const left = axes.x.at(x) - axes.x.bandwidth / 2 + index * width;
      const top = axes.y.at(y);
      return `<rect class="plot-fill" x="${place(left)}" y="${place(top)}" width="${place(width)}" height="${place(frame.bottom - top)}">${tip(series, x, y)}</rect>`;
    })
    .join('');
}

function tip({ name }: Series, x: number, y: number): string {
  return `<title>${escapeText(name)}: ${written(x)}, ${written(y)}</title>`;
}
