/** A flame graph as an SVG that needs nothing else: callers below, callees above, as wide as the time that they took. */

/** @import { Frame } from './profile.mjs' */

const WIDTH = 1200;
const ROW = 17;
const MARGIN = 10;
const HEAD = 34;
const LEAST_SHARE = 0.003;
const LETTER = 6.6;

/** @param {string} text */
const escaped = (text) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/** Hues: Conch in reds, Node in blues, packages in greens, the kernel in yellow. */
function colourOf(/** @type {string} */ group) {
  if (group.startsWith('Conch')) return '#f0997d';
  if (group.startsWith('package')) return '#a8cf8e';
  if (group.startsWith('socket writes')) return '#f4d35e';
  if (group.startsWith('garbage')) return '#c9a0dc';
  return group.startsWith("Node's") ? '#9ec5e8' : '#cfd4da';
}

/**
 * Frames with their place. Siblings of one name become one, and what is too narrow to be seen is left out.
 * @param {Frame} root
 */
function placed(root) {
  /** @type {{ frame: Frame, x: number, depth: number }[]} */
  const found = [];
  const locate = (/** @type {Frame} */ frame, /** @type {number} */ x, /** @type {number} */ depth) => {
    if (frame.total < root.total * LEAST_SHARE) return;
    found.push({ frame, x, depth });
    let at = x;
    for (const child of merged(frame.children).toSorted((a, b) => b.total - a.total)) {
      locate(child, at, depth + 1);
      at += child.total;
    }
  };
  locate(root, 0, 0);
  return found;
}

/** @param {Frame[]} frames */
function merged(frames) {
  /** @type {Map<string, Frame>} */
  const byName = new Map();
  for (const frame of frames) {
    const key = `${frame.group} ${frame.name}`;
    const known = byName.get(key);
    if (known === undefined) byName.set(key, { ...frame });
    else {
      known.self += frame.self;
      known.total += frame.total;
      known.children = [...known.children, ...frame.children];
    }
  }
  return [...byName.values()];
}

/**
 * @param {Frame} root
 * @param {string} title
 */
export function flameGraph(root, title) {
  const frames = placed(root);
  const depth = Math.max(...frames.map((frame) => frame.depth)) + 1;
  const height = HEAD + depth * ROW + MARGIN;
  const scale = (WIDTH - 2 * MARGIN) / root.total;
  const boxes = frames.map(({ frame, x, depth: level }) => {
    const left = (MARGIN + x * scale).toFixed(1);
    const width = frame.total * scale;
    const top = height - MARGIN - (level + 1) * ROW;
    const share = `${((frame.total / root.total) * 100).toFixed(1)} %`;
    const letters = Math.floor((width - 6) / LETTER);
    const label =
      letters < 3 ? '' : escaped(frame.name.length > letters ? `${frame.name.slice(0, letters - 1)}…` : frame.name);
    const text = label === '' ? '' : `<text x="${(Number(left) + 3).toFixed(1)}" y="${top + 12}">${label}</text>`;
    const about = escaped(`${frame.name}, ${share} (${frame.group})`);
    return `<g><title>${about}</title><rect x="${left}" y="${top}" width="${Math.max(width - 0.5, 0.5).toFixed(1)}" height="${ROW - 1}" fill="${colourOf(frame.group)}"/>${text}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="ui-monospace, monospace" font-size="11" role="img">
<title>${escaped(title)}</title>
<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
<text x="${MARGIN}" y="20" font-size="14" font-family="system-ui, sans-serif">${escaped(title)}</text>
${boxes.join('\n')}
</svg>
`;
}
