import type { ModelRow } from '../models/served-model.ts';

/** What a server says of a model that was not broken, but asked to go. */
const unloaded = 'unloaded';

/** Warns of models that a server could not load, once for each reason until it changes. */
export function failedLoads(warn: (line: string) => void): (rows: readonly ModelRow[]) => void {
  let known = new Set<string>();
  return (rows) => {
    const failed = rows.filter(({ state, reason }) => state === 'UNAVAILABLE' && reason !== '' && reason !== unloaded);
    const lines = failed.map(
      ({ name, server, reason }) =>
        `the model ${name} could not be loaded on ${server}: ${reason.replaceAll(/\s+/g, ' ').trim()}`,
    );
    const now = new Set(lines);
    for (const line of now) if (!known.has(line)) warn(line);
    known = now;
  };
}
