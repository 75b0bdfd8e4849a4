import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Measures } from './measures.ts';

/** One line of a chart. */
export interface Line {
  readonly label: string;
  /** The name of its colour, a CSS custom property. */
  readonly color: string;
  readonly value: (measures: Measures) => number | undefined;
}

interface ChartProps {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly measures: readonly Measures[];
  readonly text: (value: number) => string;
  /** The minimum upper end of the scale, so that small values do not look large. */
  readonly least: number;
  readonly isDark: boolean;
}

const height = 150;
/** The minimum time span, in seconds. */
const shortest = 60;

/** A chart over time. The latest values are also shown as text, which screen readers can read. */
export function Chart({ title, lines, measures, text, least, isDark }: ChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  useEffect(() => {
    const { current } = container;
    if (!current) return undefined;
    const made = new uPlot(optionsOf({ lines, text, least }, current), [[]], current);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: current.clientWidth, height }));
    observer.observe(current);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [isDark]);
  useEffect(() => {
    const times = measures.map(({ at }) => at / 1000);
    plot.current?.setData([times, ...lines.map(({ value }) => measures.map((each) => value(each) ?? null))]);
  }, [measures, isDark]);
  const last = measures.at(-1);
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <ul>
          {lines.map(({ label, color, value }) => {
            const now = last && value(last);
            return (
              <li key={label} class={`line-${color}`}>
                {label} <strong>{now === undefined ? '–' : text(now)}</strong>
              </li>
            );
          })}
        </ul>
      </figcaption>
      <div ref={container} aria-hidden="true" />
    </figure>
  );
}

function optionsOf(
  { lines, text, least }: Pick<ChartProps, 'lines' | 'text' | 'least'>,
  container: HTMLElement,
): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: colorOf('muted', container),
    grid: { stroke: colorOf('line', container), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  return {
    width: container.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      // Taken from the data: uPlot would pad a single time by a day.
      x: { range: ({ data: [times] }) => timeRange(times) },
      y: { range: (_, __, most) => [0, Math.max(most * 1.1, least)] },
    },
    axes: [
      { ...axis, size: 28, space: 80, values: (_, times) => times.map(clockText) },
      { ...axis, size: 58, values: (_, values) => values.map(text) },
    ],
    series: [{}, ...lines.map(({ label, color }) => seriesOf(label, colorOf(color, container)))],
  };
}

function seriesOf(label: string, color: string): uPlot.Series {
  return { label, stroke: color, width: 2, spanGaps: true, points: { show: true, size: 4, fill: color } };
}

/** A CSS colour resolved for the canvas, which supports neither custom properties nor light-dark(). */
function colorOf(name: string, element: HTMLElement): string {
  element.style.color = `var(--${name})`;
  const { color } = getComputedStyle(element);
  element.style.removeProperty('color');
  return color;
}

/** The time span of the chart. Before the first measurement it ends now. */
function timeRange(times: uPlot.AlignedData[0]): [number, number] {
  const end = times[times.length - 1] ?? Date.now() / 1000;
  return [Math.min(times[0] ?? end, end - shortest), end];
}

function clockText(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}
