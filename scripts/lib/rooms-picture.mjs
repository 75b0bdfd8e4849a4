import { StepError } from './steps.mjs';

/** @typedef {import('./rooms-check.mjs').Rooms} Rooms */

const begin = '<!-- rooms: written by npm run docs from scripts/rooms.mjs -->';
const end = '<!-- end of rooms -->';

/**
 * A page with its section of rooms written anew.
 * @param {string} page
 * @param {Rooms} rooms
 */
export function withRooms(page, rooms) {
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || after < before) throw new StepError(`docs/architecture.md needs the lines ${begin} and ${end}.`);
  return `${page.slice(0, before)}${begin}\n\n${picture(rooms)}\n\n${tableOf(rooms)}\n\n${page.slice(after)}`;
}

/**
 * A graph of the rooms. An arrow that follows from others is left out.
 * @param {Rooms} rooms
 */
function picture(rooms) {
  const arrows = Object.entries(rooms).flatMap(([name, { imports }]) =>
    imports
      .filter((to) => !imports.some((other) => other !== to && isReachable(rooms, other, to)))
      .map((to) => `  ${name} --> ${to}`),
  );
  return ['<!-- not run: a picture -->', '', '```mermaid', 'graph TD', ...arrows, '```'].join('\n');
}

/**
 * @param {Rooms} rooms
 * @param {string} from
 * @param {string} to
 * @returns {boolean}
 */
function isReachable(rooms, from, to) {
  const next = rooms[from]?.imports ?? [];
  return next.includes(to) || next.some((room) => isReachable(rooms, room, to));
}

/** @param {Rooms} rooms */
function tableOf(rooms) {
  const rows = Object.entries(rooms).map(([name, { holds, imports }]) => [
    name === 'main' ? '`src/main.ts`' : `\`src/${name}\``,
    holds,
    imports.length === 0 ? '-' : imports.join(', '),
  ]);
  const lines = [['room', 'holds', 'may import'], ...rows];
  const widths = [0, 1, 2].map((at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const written = lines.map((line) => `| ${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`);
  return [written[0], `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...written.slice(1)].join('\n');
}
