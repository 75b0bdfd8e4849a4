/** Draws a recorded terminal session as an animated SVG. */

const COLUMNS = 96;
const LINE_HEIGHT = 19;
const CHARACTER_WIDTH = 8.43;
const MARGIN = 16;
const BAR = 28;

/**
 * A part of the session that fits the window: what is typed, and what the program prints.
 * @typedef {{ command: string, output: string[] }} Scene
 * @typedef {{ line: string, kind: 'command' | 'output', at: number }} TimedLine
 */

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * The lines of a text, each short enough for the window.
 * @param {string} text
 * @returns {string[]}
 */
export function foldedLines(text) {
  return text
    .trimEnd()
    .split('\n')
    .flatMap((line) => (line === '' ? [''] : (line.match(new RegExp(`.{1,${COLUMNS}}`, 'gu')) ?? [])));
}

/**
 * @param {Scene[]} scenes
 * @param {{ picture: Buffer, seconds: number }} ending a PNG that is shown last
 * @returns {string}
 */
export function terminalSvg(scenes, { picture, seconds }) {
  let clock = 0.5;
  const timed = scenes.map(({ command, output }) => {
    const begin = clock;
    /** @type {TimedLine[]} */
    const lines = [{ line: `$ ${command}`, kind: 'command', at: clock }];
    clock += 1;
    for (const line of output) {
      lines.push({ line, kind: 'output', at: clock });
      clock += 0.12;
    }
    clock += 2.5;
    return { begin, end: clock, lines };
  });
  const total = clock + seconds;
  const rows = Math.max(...timed.map(({ lines }) => lines.length));
  const width = Math.round(COLUMNS * CHARACTER_WIDTH + 2 * MARGIN);
  const height = Math.round(BAR + rows * LINE_HEIGHT + 2 * MARGIN);
  const share = (/** @type {number} */ at) => `${((at / total) * 100).toFixed(2)}%`;
  /** @type {string[]} */
  const frames = [];
  const display = (/** @type {number} */ from, /** @type {number} */ to) => {
    const name = `s${frames.length}`;
    const before = from <= 0 ? '' : `0%,${share(from - 0.01)}{opacity:0}`;
    const after = to >= total ? '' : `${share(to + 0.01)},100%{opacity:0}`;
    frames.push(`@keyframes ${name}{${before}${share(from)},${share(to)}{opacity:1}${after}}`);
    return `style="animation:${name} ${total.toFixed(1)}s infinite"`;
  };
  const texts = timed.flatMap(({ end, lines }) =>
    lines.map(({ line, kind, at }, row) => {
      const y = BAR + MARGIN + (row + 0.8) * LINE_HEIGHT;
      return `<text class="${kind}" x="${MARGIN}" y="${y.toFixed(1)}" ${display(at, end)}>${escaped(line)}</text>`;
    }),
  );
  const image = `<image y="${BAR}" width="${width}" height="${height - BAR}" ${display(clock, total)} href="data:image/png;base64,${picture.toString('base64')}"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A terminal: Conch starts, a model responds and calls a tool; then the dashboard">`,
    `<style>text{font:14px ui-monospace,Menlo,Consolas,monospace;fill:#d6deeb;white-space:pre;opacity:0}.command{fill:#7fdbca}image{opacity:0}${frames.join('')}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#011627"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (fill, at) => `<circle cx="${20 + at * 20}" cy="14" r="6" fill="${fill}"/>`,
    ),
    ...texts,
    image,
    '</svg>',
    '',
  ].join('\n');
}
