import { StepError } from './steps.mjs';

/** @typedef {import('./rooms-check.mjs').Rooms} Rooms */

const begin = '<!-- rooms: written by npm run docs from scripts/rooms.mjs -->';
const end = '<!-- end of rooms -->';

/**
 * A page with its section of rooms written anew.
 * @param {string} page
 * @param {string} section a picture or a table of the rooms
 */
export function withRooms(page, section) {
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || after < before) throw new StepError(`The page of rooms needs the lines ${begin} and ${end}.`);
  return `${page.slice(0, before)}${begin}\n\n${section}\n\n${page.slice(after)}`;
}

/**
 * The rooms in layers: a room imports only rooms of layers below its own.
 * @param {Rooms} rooms
 */
export function roomsPicture(rooms) {
  const depths = depthsOf(rooms);
  const layers = Array.from({ length: Math.max(...depths.values()) + 1 }, (_, depth) =>
    Object.keys(rooms).filter((name) => depths.get(name) === depth),
  );
  return [
    '<!-- not run: a picture -->',
    '',
    '```text',
    ...layers.flatMap((names) => filled(grouped(names))),
    '```',
  ].join('\n');
}

/**
 * The groups of a layer in lines of at most 110 columns; further lines are indented.
 * @param {(string | undefined)[]} groups
 */
function filled(groups) {
  const [first = '', ...others] = groups;
  /** @type {string[]} */
  const lines = [first];
  for (const group of others) {
    const longer = `${lines.at(-1)}   ${group}`;
    if (longer.length <= 110) lines[lines.length - 1] = longer;
    else lines.push(`  ${group}`);
  }
  return lines;
}

/**
 * Names of the same folder are written as one: `servers/{managed, remote}`.
 * @param {string[]} names
 */
function grouped(names) {
  const folders = new Set(names.map((name) => name.split('/')[0] ?? ''));
  return [...folders].map((folder) => {
    const inside = names.filter((name) => name.startsWith(`${folder}/`)).map((name) => name.slice(folder.length + 1));
    return inside.length > 1 ? `${folder}/{${inside.join(', ')}}` : names.find((name) => name.split('/')[0] === folder);
  });
}

/**
 * How many rooms the longest way from the top to each room has. The rooms stand in an order in which none imports one
 * before it, so that one pass is enough.
 * @param {Rooms} rooms
 */
function depthsOf(rooms) {
  const depths = new Map(Object.keys(rooms).map((name) => [name, 0]));
  for (const [name, { imports }] of Object.entries(rooms))
    for (const to of imports) depths.set(to, Math.max(depths.get(to) ?? 0, (depths.get(name) ?? 0) + 1));
  return depths;
}

/**
 * What each room holds.
 * @param {Rooms} rooms
 */
export function roomsTable(rooms) {
  const rows = Object.entries(rooms).map(([name, { holds }]) => [`\`${name === 'main' ? 'main.ts' : name}\``, holds]);
  const lines = [['room', 'holds'], ...rows];
  const widths = [0, 1].map((at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const written = lines.map((line) => `| ${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`);
  return [written[0], `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...written.slice(1)].join('\n');
}
