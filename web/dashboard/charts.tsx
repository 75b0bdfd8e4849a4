import { numberText, timeText } from '../lib/number-text.ts';
import { Chart, type Line } from './chart.tsx';
import type { Measures } from './measures.ts';

const perSecond = (value: number): string => numberText(value);
const count = (value: number): string => String(Math.round(value));
const time = (seconds: number): string => timeText(seconds * 1000);

const charts: readonly { readonly title: string; readonly lines: readonly Line[]; readonly text: typeof time }[] = [
  {
    title: 'Requests per second',
    lines: [{ label: 'all', color: 'first', value: ({ requests }) => requests }],
    text: perSecond,
  },
  {
    title: 'Tokens per second',
    lines: [{ label: 'of answers', color: 'first', value: ({ tokens }) => tokens }],
    text: perSecond,
  },
  {
    title: 'Time to first token',
    lines: [
      { label: 'half within', color: 'first', value: ({ firstToken }) => firstToken },
      { label: '95 % within', color: 'second', value: ({ slowFirstToken }) => slowFirstToken },
    ],
    text: time,
  },
  {
    title: 'Errors per second',
    lines: [{ label: 'all', color: 'bad', value: ({ errors }) => errors }],
    text: perSecond,
  },
  {
    title: 'Queue',
    lines: [
      { label: 'running', color: 'first', value: ({ running, waiting }) => Math.max(running - waiting, 0) },
      { label: 'waiting', color: 'second', value: ({ waiting }) => waiting },
    ],
    text: count,
  },
];

/** How the server does, as it goes on. */
export function Charts({ measures, isDark }: { readonly measures: readonly Measures[]; readonly isDark: boolean }) {
  return (
    <div class="charts">
      {charts.map((chart) => (
        <Chart key={chart.title} {...chart} measures={measures} isDark={isDark} />
      ))}
    </div>
  );
}
