import { scaleBand, scaleLinear, scaleLog } from 'd3-scale';
import { escapeText } from '../escape-text.ts';
import type { Axis, Chart } from './chart.ts';
import { coordinate, frame, written } from './svg.ts';

/** Maps values to coordinates; `bandwidth` is the width of a bar group. */
interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
  readonly bandwidth: number;
}

/** Both scales, and the grid with its labels as SVG. */
export interface Axes {
  readonly x: Scale;
  readonly y: Scale;
  readonly marks: string;
}

const narrowestTick = 34;
const mostOwnTicks = 16;

/** Axes that contain every point of the chart. */
export function axesOf(chart: Chart): Axes {
  const points = chart.series.flatMap((series) => series.points);
  const xs = [...new Set(points.map(([x]) => x))].toSorted((a, b) => a - b);
  const x = chart.kind === 'bars' ? bandScale(chart.x, xs) : spreadScale(chart.x, xs, [frame.left, frame.right], false);
  const ys = points.map(([, y]) => y);
  const y = spreadScale(chart.y, ys, [frame.bottom, frame.top], true);
  return { x, y, marks: `${xMarks(chart.x, x)}\n${yMarks(chart.y, y)}` };
}

function bandScale({ names }: Axis, values: readonly number[]): Scale {
  const scale = scaleBand<number>([...values], [frame.left, frame.right]).padding(0.15);
  const half = scale.bandwidth() / 2;
  const at = (value: number): number => (scale(value) ?? 0) + half;
  return { at, ticks: names === undefined ? apart(values, at) : values, bandwidth: scale.bandwidth() };
}

/** A linear axis of amounts starts at zero. A logarithmic one covers values above zero; others are drawn at its edge. */
function spreadScale(axis: Axis, values: readonly number[], range: [number, number], isAmount: boolean): Scale {
  const visible = axis.scale === 'log' ? values.filter((value) => value > 0) : values;
  const [least, most] = visible.length === 0 ? [1, 10] : [smallest(visible), largest(visible)];
  if (axis.scale === 'log') {
    const domain: [number, number] = least === most ? [least / 2, most * 2] : [least, most];
    const scale = scaleLog(domain, range);
    if (isAmount) scale.nice();
    const [edge = least] = scale.domain();
    const at = (value: number): number => scale(Math.max(value, edge));
    const own = [...new Set(visible)].toSorted((a, b) => a - b);
    return { at, ticks: apart(!isAmount && own.length <= mostOwnTicks ? own : scale.ticks(6), at), bandwidth: 0 };
  }
  const from = isAmount ? Math.min(0, least) : least;
  const scale = scaleLinear([from, most === from ? from + 1 : most], range);
  if (isAmount) scale.nice();
  return { at: scale, ticks: scale.ticks(6), bandwidth: 0 };
}

/** The values whose labels do not overlap. */
function apart(values: readonly number[], at: (value: number) => number): number[] {
  let last = Number.NEGATIVE_INFINITY;
  return values.filter((value) => {
    const isApart = Math.abs(at(value) - last) >= narrowestTick;
    if (isApart) last = at(value);
    return isApart;
  });
}

function smallest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b));
}

function largest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b));
}

function xMarks({ label, names }: Axis, { ticks, at }: Scale): string {
  const { left, right, bottom } = frame;
  const middle = (left + right) / 2;
  return [
    ...ticks.map(
      (value) =>
        `<text x="${coordinate(at(value))}" y="${bottom + 18}" text-anchor="middle">${escapeText(names?.[value] ?? written(value))}</text>`,
    ),
    `<text x="${middle}" y="${bottom + 40}" text-anchor="middle">${escapeText(label)}</text>`,
  ].join('');
}

function yMarks({ label }: Axis, { ticks, at }: Scale): string {
  const { left, right, top, bottom } = frame;
  const middle = (top + bottom) / 2;
  return [
    ...ticks.map((value) => {
      const y = coordinate(at(value));
      return `<line class="plot-grid" x1="${left}" x2="${right}" y1="${y}" y2="${y}"/><text x="${left - 8}" y="${coordinate(y + 4)}" text-anchor="end">${written(value)}</text>`;
    }),
    `<text x="16" y="${middle}" text-anchor="middle" transform="rotate(-90 16 ${middle})">${escapeText(label)}</text>`,
  ].join('');
}
