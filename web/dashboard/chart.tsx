import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Measures } from './measures.ts';

/** One line of a chart. */
export interface Line {
  readonly label: string;
  /** The name of its colour among the variables of the style. */
  readonly color: string;
  readonly value: (measures: Measures) => number | undefined;
}

interface ChartProps {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly measures: readonly Measures[];
  readonly text: (value: number) => string;
  readonly isDark: boolean;
}

const height = 150;

/** A chart that goes on with time. Its last values stand beside it as text, for those who cannot see it too. */
export function Chart({ title, lines, measures, text, isDark }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  useEffect(() => {
    const { current } = place;
    if (!current) return undefined;
    const made = new uPlot(optionsOf(lines, text, current), [[]], current);
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
      <div ref={place} aria-hidden="true" />
    </figure>
  );
}

function optionsOf(lines: readonly Line[], text: (value: number) => string, place: Element): uPlot.Options {
  const style = getComputedStyle(place);
  const colorOf = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const axis: uPlot.Axis = {
    stroke: style.color,
    grid: { stroke: colorOf('line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  return {
    width: place.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_, __, most) => [0, Math.max(most * 1.1, 1e-3)] } },
    axes: [
      { ...axis, space: 80 },
      { ...axis, size: 58, values: (_, values) => values.map(text) },
    ],
    series: [{}, ...lines.map(({ label, color }) => ({ label, stroke: colorOf(color), width: 2, spanGaps: true }))],
  };
}
