import { numberText, timeText } from '../lib/number-text.ts';
import { Chart, type Line } from './chart.tsx';
import type { Measures } from './measures.ts';

const perSecond = (value: number): string => numberText(value);
const count = (value: number): string => String(Math.round(value));
const time = (seconds: number): string => timeText(seconds * 1000);

interface ChartKind {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly text: (value: number) => string;
  readonly least: number;
}

const charts: readonly ChartKind[] = [
  {
    title: 'Requests per second',
    lines: [{ label: 'total', color: 'first', value: ({ requests }) => requests }],
    text: perSecond,
    least: 1,
  },
  {
    title: 'Tokens per second',
    lines: [{ label: 'generated', color: 'first', value: ({ tokens }) => tokens }],
    text: perSecond,
    least: 1,
  },
  {
    title: 'Time to first token',
    lines: [
      { label: 'p50', color: 'first', value: ({ firstToken }) => firstToken },
      { label: 'p95', color: 'second', value: ({ slowFirstToken }) => slowFirstToken },
    ],
    text: time,
    least: 0.1,
  },
  {
    title: 'Errors per second',
    lines: [{ label: 'total', color: 'bad', value: ({ errors }) => errors }],
    text: perSecond,
    least: 1,
  },
  {
    title: 'Queue',
    lines: [
      { label: 'running', color: 'first', value: ({ running, waiting }) => Math.max(running - waiting, 0) },
      { label: 'waiting', color: 'second', value: ({ waiting }) => waiting },
    ],
    text: count,
    least: 4,
  },
];

/** The charts of the dashboard. */
export function Charts({ measures, isDark }: { readonly measures: readonly Measures[]; readonly isDark: boolean }) {
  return (
    <div class="charts">
      {charts.map((chart) => (
        <Chart key={chart.title} {...chart} measures={measures} isDark={isDark} />
      ))}
    </div>
  );
}
