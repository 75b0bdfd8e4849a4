import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached } from './cache.mjs';
import { progress } from './progress.mjs';
import { capture, inRoot, StepError } from './steps.mjs';

/** @typedef {{ program: string, version: string, libraries: string }} Python */

const VERSIONS = ['3.9', '3.10', '3.11', '3.12'];
const PROBE = `
import json, sys, sysconfig
print(json.dumps({"program": sys.executable, "version": "%d.%d" % sys.version_info[:2],
                  "libraries": sysconfig.get_config_var("LIBDIR") or ""}))
`;
// Triton's Python stub is linked against the shared library of Python.
const PROBE_LIBRARY = `
import ctypes, sys
ctypes.CDLL("libpython%d.%d.so.1.0" % sys.version_info[:2])
`;

/**
 * The first Python on PATH that tritonserver has a stub for.
 * @returns {Promise<Python>}
 */
export async function findPython() {
  const candidates = ['python3', ...VERSIONS.map((version) => `python${version}`).toReversed()];
  const seen = [];
  for (const candidate of candidates) {
    /** @type {Python | undefined} */
    const found = await capture(candidate, ['-c', PROBE], { what: candidate }).then(JSON.parse, () => undefined);
    if (found && VERSIONS.includes(found.version)) return found;
    if (found) seen.push(found.version);
  }
  const instead = seen.length > 0 ? ` Found only: ${seen.join(', ')}.` : '';
  throw new StepError(`The tests need Python ${VERSIONS[0]} to ${VERSIONS.at(-1)} as python3 on PATH.${instead}`);
}

/**
 * A virtual environment with the packages of test-requirements.txt.
 * @param {Python} python
 */
export async function pythonEnvironment(python) {
  const requirements = 'scripts/test-requirements.txt';
  const text = readFileSync(inRoot(requirements), 'utf8');
  const key = createHash('sha256').update(`${python.program}\n${text}`).digest('hex').slice(0, 12);
  const title = `Python ${python.version} environment for the tests`;
  return cached(`python-${python.version}-${key}`, (folder) =>
    makeEnvironment(python, { folder, requirements, title }),
  );
}

/**
 * Makes a virtual environment with the packages of a file that pins all of them.
 * @param {Python} python
 * @param {{ folder: string, requirements: string, title: string }} settings
 */
export async function makeEnvironment({ program, version, libraries }, { folder, requirements, title }) {
  const packages = readFileSync(inRoot(requirements), 'utf8')
    .split('\n')
    .filter((line) => line.includes('==')).length;
  const bar = progress(title, packages + 2);
  await capture(program, ['-c', PROBE_LIBRARY], {
    what: `Loading the shared library of Python ${version}`,
    advice: `Install it (Debian and Ubuntu: apt-get install libpython${version}), then run the command again.`,
    environment: { LD_LIBRARY_PATH: libraries },
  });
  await capture(program, ['-m', 'venv', folder], {
    what: 'python3 -m venv',
    advice: `Install it (Debian and Ubuntu: apt-get install python${version}-venv), then run the command again.`,
  });
  bar.step();
  const pip = ['-m', 'pip', 'install', '--no-deps', '--no-input', '--only-binary=:all:', '--progress-bar=off'];
  const options = [...pip, '--disable-pip-version-check', '-r', inRoot(requirements)];
  await capture(join(folder, 'bin', 'python'), options, {
    what: 'pip install',
    advice: 'Check the network and the settings of pip, then run the command again.',
    onLine: (line) => line.startsWith('Collecting ') && bar.step(),
  });
  bar.step();
  bar.end();
}
