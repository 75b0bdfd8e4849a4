import { describe, expect, it } from 'vitest';
import { type Chart, drawChart } from './chart.ts';

const chart: Chart = {
  title: 'Cost <of> a token',
  x: { label: 'streams', scale: 'log' },
  y: { label: 'µs', scale: 'linear' },
  kind: 'line',
  series: [
    {
      name: 'conch',
      points: [
        [1, 10],
        [32, 8],
        [256, 5],
      ],
    },
    {
      name: 'a & b',
      points: [
        [1, 40],
        [256, 30],
      ],
    },
  ],
};

describe('drawChart', () => {
  it('draws lines with a dot for each point, both axes, and a name for each colour', () => {
    expect(withoutStyle(drawChart(chart))).toMatchSnapshot();
  });

  it('draws steps', () => {
    const [, steps] = drawChart({ ...chart, kind: 'steps' }).match(/ d="([^"]+)"/) ?? [];
    expect(steps).toBe('M72,261.5L464.5,261.5L464.5,275.2L700,275.2L700,295.8');
  });

  it('names bars and shows their amounts', () => {
    const x = { label: '', scale: 'linear', names: ['ours', 'a & b'] } as const;
    const series = [{ name: 'CPU', points: [[0, 10] as const, [1, 40] as const] }];
    const texts = [...drawChart({ ...chart, kind: 'bars', x, series }).matchAll(/text-anchor="middle">([^<]*)</g)];
    expect(texts.map(([, text]) => text)).toEqual(['ours', 'a &amp; b', '', '10', '40']);
  });

  it('draws bars of several series side by side, each from the ground', () => {
    const bars = [...drawChart({ ...chart, kind: 'bars' }).matchAll(/<rect class="plot-fill" (x=.*?)>/g)];
    expect(bars.slice(2).map(([, locations]) => locations)).toMatchInlineSnapshot(`
      [
        "x="101.9" y="261.5" width="84.7" height="68.5"",
        "x="301.3" y="275.2" width="84.7" height="54.8"",
        "x="500.6" y="295.8" width="84.7" height="34.3"",
        "x="186.6" y="56" width="84.7" height="274"",
        "x="585.4" y="124.5" width="84.7" height="205.5"",
      ]
    `);
  });

  it('takes the values of a logarithmic axis as its ticks where they are few', () => {
    const ticks = [...drawChart(chart).matchAll(/y="348" text-anchor="middle">([^<]+)</g)].map(([, text]) => text);
    expect(ticks).toEqual(['1', '32', '256']);
  });

  it('draws zero at the edge of a logarithmic axis', () => {
    const drawn = drawChart({
      ...chart,
      series: [
        {
          name: 'one',
          points: [
            [0, 1],
            [10, 2],
            [100, 3],
          ],
        },
      ],
    });
    expect(drawn).toContain(' d="M72,');
    expect(drawn).not.toContain('NaN');
  });

  it('has names in as many rows as they need, and the plot below them', () => {
    const names = ['Time to first token', 'Inter-token latency', 'Request latency'].flatMap((metric) => [
      `${metric} p50`,
      `${metric} p99`,
    ]);
    const drawn = drawChart({ ...chart, series: names.map((name) => ({ name, points: [[1, 1]] })) });
    const locations = names.map((name) => {
      const [, x, y] = new RegExp(`<text x="([\\d.]+)" y="(\\d+)">${name}<`).exec(drawn) ?? [];
      return { end: Number(x) + name.length * 6.5, y: Number(y) };
    });
    expect(locations.map(({ y }) => y)).toEqual([40, 40, 40, 58, 58, 58]);
    expect(Math.max(...locations.map(({ end }) => end))).toBeLessThanOrEqual(700);
    expect(drawn).toContain('viewBox="0 0 720 398"');
    expect(drawn).toContain('<g transform="translate(0 18)">');
  });

  it('draws one point, and none', () => {
    for (const points of [[], [[5, 5]]] as [number, number][][])
      for (const scale of ['linear', 'log'] as const)
        for (const kind of ['line', 'steps', 'bars'] as const) {
          const axis = { label: 'x', scale };
          const drawn = drawChart({ ...chart, x: axis, y: axis, kind, series: [{ name: 'one', points }] });
          expect(drawn).not.toMatch(/NaN|undefined|Infinity/);
        }
  });

  it('refuses values that are none', () => {
    expect(() => drawChart({ ...chart, series: [{ name: 'odd', points: [[1, Number.NaN]] }] })).toThrow(
      'Chart series "odd" contains a value that is not a finite number.',
    );
  });

  it('has colours for both grounds and asks no other host', () => {
    const drawn = drawChart(chart);
    expect(drawn).toContain('prefers-color-scheme: dark');
    expect(drawn.match(/https?:[^"]+/g)).toEqual(['http://www.w3.org/2000/svg']);
  });
});

function withoutStyle(svg: string): string {
  return svg.replace(/<style>.*<\/style>\n/s, '');
}
