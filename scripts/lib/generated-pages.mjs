import { readFileSync } from 'node:fs';
import { runnerImport } from 'vite';
import { rooms } from '../rooms.mjs';
import { roomsPicture, roomsTable, withRooms } from './rooms-picture.mjs';
import { inRoot, StepError } from './steps.mjs';

/**
 * The pages that are written from the sources, as they should be now.
 * @returns {Promise<{ file: string, text: string }[]>}
 */
export async function generatedPages() {
  return [
    pageOfRooms('docs/architecture.md', roomsPicture(rooms)),
    pageOfRooms('docs/decisions/rooms.md', roomsTable(rooms)),
    { file: 'docs/cli.md', text: await made('src/cli/cli-page.ts', 'cliPage') },
    { file: 'docs/observability.md', text: await withMetrics('docs/observability.md') },
    { file: 'docs/parameters.md', text: await made('test/parameters/page.ts', 'parametersPage') },
    { file: 'docs/settings.md', text: await made('src/config/settings-page.ts', 'settingsPage') },
  ];
}

/**
 * @param {string} file
 * @param {string} section
 */
function pageOfRooms(file, section) {
  return { file, text: withRooms(readFileSync(inRoot(file), 'utf8'), section) };
}

/**
 * A page with a new list of metrics.
 * @param {string} file
 */
async function withMetrics(file) {
  const page = readFileSync(inRoot(file), 'utf8');
  const [begin, end] = ['<!-- metrics: written by npm run docs -->', '<!-- end of metrics -->'];
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || after < before) throw new StepError(`${file} needs the lines ${begin} and ${end}.`);
  const list = await made('src/telemetry/metrics/metrics-list.ts', 'metricsList');
  return `${page.slice(0, before)}${begin}\n\n${list}\n\n${page.slice(after)}`;
}

/**
 * What a function of a TypeScript module gives. It is loaded as it is: no build is needed.
 * @param {string} file
 * @param {string} name
 * @returns {Promise<string>}
 */
async function made(file, name) {
  const { module } = await runnerImport(inRoot(file), { configFile: false, root: inRoot('.'), logLevel: 'error' });
  return /** @type {Record<string, () => string>} */ (module)[name]?.() ?? '';
}
