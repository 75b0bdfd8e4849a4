/** The layout of a chart, in its own units. */
export const frame = { width: 720, height: 380, left: 72, right: 700, top: 56, bottom: 330 } as const;

const light = ['#0072b2', '#d55e00', '#009e73', '#b0589a', '#8a6d00', '#3f7fae', '#7a3b00', '#555555'];
const dark = ['#56b4e9', '#ff8c42', '#2fd3a0', '#e39ccb', '#f0d24a', '#9fd0f5', '#d9a06b', '#bbbbbb'];

/** Colours that people with colour blindness can distinguish, one set per theme. */
export const style = `<style>
.plot { font: 12px system-ui, sans-serif; fill: #24292f; background: #ffffff; max-width: 100%; }
.plot-title { font-size: 15px; font-weight: 600; }
.plot-grid { stroke: #d0d7de; stroke-width: 1; }
.plot-line { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
.plot-fill { fill: currentColor; }
${light.map((colour, index) => `.plot-${index} { color: ${colour}; }`).join('\n')}
@media (prefers-color-scheme: dark) {
.plot { fill: #e6edf3; background: #0d1117; }
.plot-grid { stroke: #30363d; }
${dark.map((colour, index) => `.plot-${index} { color: ${colour}; }`).join('\n')}
}
</style>`;

/** A coordinate, rounded to one decimal. */
export function coordinate(value: number): number {
  return Math.round(value * 10) / 10;
}

const numbers = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 });

/** A value as text. */
export function written(value: number): string {
  return numbers.format(value);
}
