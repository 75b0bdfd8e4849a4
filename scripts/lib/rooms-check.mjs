/** @typedef {import('../rooms.mjs').Room} Room */
/** @typedef {Readonly<Record<string, Room>>} Rooms */

const table = 'scripts/rooms.mjs';

/**
 * Every way in which the sources and the table of rooms disagree, one line each.
 * @param {Rooms} rooms
 * @param {{ files: readonly string[], imports: readonly import('./imports.mjs').Import[] }} sources paths from src
 * @returns {string[]}
 */
export function brokenRules(rooms, { files, imports }) {
  const names = Object.keys(rooms);
  const homeless = files.filter((file) => roomOf(rooms, file) === undefined);
  const folders = new Set(homeless.map((file) => file.slice(0, file.lastIndexOf('/'))));
  const used = new Set();
  const forbidden = imports.flatMap(({ file, line, target }) => {
    const [from, to] = [roomOf(rooms, file), roomOf(rooms, target)];
    if (from === undefined || to === undefined || from === to || to === shared) return [];
    used.add(`${from} ${to}`);
    if (rooms[from]?.imports.includes(to)) return [];
    return [`src/${file}:${line} imports src/${target}: ${from} may not import ${to} (${table})`];
  });
  return [
    ...[...folders].map((folder) => `src/${folder} belongs to no room: add one to ${table}`),
    ...names.filter((name) => !files.some((file) => roomOf(rooms, file) === name)).map(emptyRoom),
    ...names.flatMap((name, at) =>
      (rooms[name]?.imports ?? []).filter((to) => names.indexOf(to) <= at).map((to) => wrongWay(name, to)),
    ),
    ...forbidden,
    ...names.flatMap((name) =>
      (rooms[name]?.imports ?? []).filter((to) => !used.has(`${name} ${to}`)).map((to) => unused(name, to)),
    ),
  ];
}

/** Files directly in src, except main.ts. */
const shared = 'shared';

/**
 * The room of a file: the longest name in the table that its path begins with.
 * @param {Rooms} rooms
 * @param {string} file
 * @returns {string | undefined}
 */
function roomOf(rooms, file) {
  if (file === 'main.ts') return 'main';
  if (!file.includes('/')) return shared;
  const fitting = Object.keys(rooms).filter((name) => file.startsWith(`${name}/`));
  return fitting.toSorted((a, b) => b.length - a.length)[0];
}

/** @param {string} name */
function emptyRoom(name) {
  return `${table}: the room ${name} has no files: remove it`;
}

/**
 * @param {string} name
 * @param {string} to
 */
function wrongWay(name, to) {
  return `${table}: ${name} may import ${to}, which is not below it in the table: imports run one way`;
}

/**
 * @param {string} name
 * @param {string} to
 */
function unused(name, to) {
  return `${table}: ${name} may import ${to}, but no file does: remove the permission`;
}
