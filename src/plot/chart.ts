import { curveLinear, curveStepAfter, line } from 'd3-shape';
import { escapeText } from '../escape-text.ts';
import { type Axes, axesOf } from './axes.ts';
import { coordinate, frame, style, written } from './svg.ts';

/** The label and scale of an axis. */
export interface Axis {
  readonly label: string;
  readonly scale: 'linear' | 'log';
  /** For bars: the names of the values 0, 1 and so on. Each bar then shows its amount. */
  readonly names?: readonly string[];
}

/** A named list of points. */
export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [number, number])[];
}

/** A chart: a line through the points, steps from point to point, or a bar per point. */
export interface Chart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  readonly kind: 'line' | 'steps' | 'bars';
}

/** The chart as one self-contained `<svg>` for light and dark backgrounds. */
export function drawChart(chart: Chart): string {
  for (const { name, points } of chart.series)
    if (points.some((point) => !point.every(Number.isFinite)))
      throw new TypeError(`Chart series ${JSON.stringify(name)} contains a value that is not a finite number.`);
  const axes = axesOf(chart);
  const positions = legendPositions(chart.series);
  const { width, height } = frame;
  // Each further row of the legend moves the plot down.
  const down = Math.max(0, ...positions.map(({ row }) => row)) * rowHeight;
  const plot = [axes.marks, ...chart.series.map((series, index) => seriesMarks(chart, series, index, axes))];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height + down}" role="img" class="plot" aria-label="${escapeText(chart.title)}">`,
    style,
    `<text class="plot-title" x="${frame.left}" y="22">${escapeText(chart.title)}</text>`,
    legend(chart.series, positions),
    ...(down === 0 ? plot : [`<g transform="translate(0 ${down})">`, ...plot, '</g>']),
    '</svg>',
  ].join('\n');
}

function seriesMarks(chart: Chart, series: Series, index: number, axes: Axes): string {
  const marks = chart.kind === 'bars' ? barMarks : lineMarks;
  return `<g class="plot-${index % 8}">${marks({ chart, series, index, axes })}</g>`;
}

const rowHeight = 18;
const colourWidth = 17;

interface LegendPosition {
  readonly x: number;
  readonly row: number;
}

/** Names are in one row while they fit. A single series needs no legend: the title names it. */
function legendPositions(series: readonly Series[]): LegendPosition[] {
  if (series.length < 2) return [];
  let x: number = frame.left;
  let row = 0;
  return series.map(({ name }) => {
    const width = name.length * 6.5;
    if (x > frame.left && x + colourWidth + width > frame.right) {
      x = frame.left;
      row++;
    }
    const position = { x, row };
    x += 30 + width;
    return position;
  });
}

/** The names of the series with their colours. */
function legend(series: readonly Series[], positions: readonly LegendPosition[]): string {
  return positions
    .map(({ x, row }, index) => {
      const y = row * rowHeight;
      return `<g class="plot-${index % 8}"><rect class="plot-fill" x="${x}" y="${y + 34}" width="12" height="4"/></g><text x="${x + colourWidth}" y="${y + 40}">${escapeText(series[index]?.name ?? '')}</text>`;
    })
    .join('');
}

interface SeriesContext {
  readonly chart: Chart;
  readonly series: Series;
  /** The index of the series. */
  readonly index: number;
  readonly axes: Axes;
}

const mostDots = 40;

/** A line or steps through the points. If a line has few points, each is a dot with a tooltip. */
function lineMarks({ chart, series, axes }: SeriesContext): string {
  const path = line<readonly [number, number]>(
    ([x]) => coordinate(axes.x.at(x)),
    ([, y]) => coordinate(axes.y.at(y)),
  ).curve(chart.kind === 'steps' ? curveStepAfter : curveLinear);
  const drawn = `<path class="plot-line" d="${path([...series.points]) ?? ''}"/>`;
  if (chart.kind === 'steps' || series.points.length > mostDots) return drawn;
  const dots = series.points.map(
    ([x, y]) =>
      `<circle class="plot-fill" cx="${coordinate(axes.x.at(x))}" cy="${coordinate(axes.y.at(y))}" r="3">${tip(series, x, y)}</circle>`,
  );
  return drawn + dots.join('');
}

/** The bars of a series. Those of several series are side by side. */
function barMarks({ chart, series, index, axes }: SeriesContext): string {
  const width = axes.x.bandwidth / chart.series.length;
  return series.points
    .map(([x, y]) => {
      const left = axes.x.at(x) - axes.x.bandwidth / 2 + index * width;
      const top = axes.y.at(y);
      const bar = `<rect class="plot-fill" x="${coordinate(left)}" y="${coordinate(top)}" width="${coordinate(width)}" height="${coordinate(frame.bottom - top)}">${tip(series, x, y)}</rect>`;
      if (chart.x.names === undefined) return bar;
      return `${bar}<text x="${coordinate(left + width / 2)}" y="${coordinate(top - 4)}" text-anchor="middle">${written(y)}</text>`;
    })
    .join('');
}

function tip({ name }: Series, x: number, y: number): string {
  return `<title>${escapeText(name)}: ${written(x)}, ${written(y)}</title>`;
}
