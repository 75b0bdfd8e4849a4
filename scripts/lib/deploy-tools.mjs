import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached } from './cache.mjs';
import { capture, inRoot, say } from './steps.mjs';

const HELM = 'helm.sh/helm/v3/cmd/helm@v3.19.0';

/**
 * A program on PATH; fails where it is missing.
 * @param {string} name
 */
export async function onPath(name) {
  await capture('sh', ['-c', 'command -v "$0"', name], { what: `Looking for ${name} on PATH` });
  return name;
}

/** The folder of a virtual environment with the packages of deploy-requirements.txt. */
export function pythonTools() {
  const requirements = inRoot('scripts/deploy-requirements.txt');
  return cached(`deploy-python-${keyOf(readFileSync(requirements, 'utf8'))}`, async (folder) => {
    say('Fetching the tools that come as Python packages …');
    await capture('python3', ['-m', 'venv', folder], {
      what: 'python3 -m venv',
      advice: 'Install it (Debian and Ubuntu: apt-get install python3-venv), then run the command again.',
    });
    const pip = ['-m', 'pip', 'install', '--no-input', '--only-binary=:all:', '--progress-bar=off'];
    await capture(join(folder, 'bin', 'python'), [...pip, '--disable-pip-version-check', '-r', requirements], {
      what: 'pip install',
      advice: 'Check the network and the settings of pip, then run the command again.',
    });
  });
}

/** helm, compiled from its Go module. */
export async function helm() {
  const folder = await cached(`helm-${keyOf(HELM)}`, async (folder) => {
    await onPath('go');
    say(`Compiling ${HELM} (some minutes) …`);
    await capture('go', ['install', HELM], {
      what: `go install ${HELM}`,
      advice: 'Check the network and the settings of go, then run the command again.',
      environment: { GOBIN: folder, CGO_ENABLED: '0' },
    });
  });
  return join(folder, 'helm');
}

/** @param {string} text */
function keyOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
