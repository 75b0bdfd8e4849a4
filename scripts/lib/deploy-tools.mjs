import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached } from './cache.mjs';
import { capture, inRoot, say } from './steps.mjs';

/** Programs that come as Go modules, with their versions. */
const GO_PROGRAMS = ['github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0', 'helm.sh/helm/v3/cmd/helm@v3.19.0'];

/** What kubernetes-validate of deploy-requirements.txt has schemas of. */
export const KUBERNETES = '1.34.0';

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

/** The folder with kubeconform and helm, compiled from their Go modules. */
export function goTools() {
  return cached(`deploy-go-${keyOf(GO_PROGRAMS.join())}`, async (folder) => {
    await onPath('go');
    for (const program of GO_PROGRAMS) {
      say(`Compiling ${program} (some minutes) …`);
      await capture('go', ['install', program], {
        what: `go install ${program}`,
        advice: 'Check the network and the settings of go, then run the command again.',
        environment: { GOBIN: folder, CGO_ENABLED: '0' },
      });
    }
  });
}

/** Where kubeconform finds the schemas of Kubernetes: in a Python package, as it would fetch them from the network else. */
export async function kubernetesSchemas() {
  const python = join(await pythonTools(), 'bin', 'python');
  const find = 'import importlib.util as u; print(u.find_spec("kubernetes_validate").submodule_search_locations[0])';
  const folder = (await capture(python, ['-c', find], { what: 'Looking for kubernetes_validate' })).trim();
  return join(folder, 'kubernetes-json-schema', `v${KUBERNETES}-local-strict`, '{{.ResourceKind}}{{.KindSuffix}}.json');
}

/** @param {string} text */
function keyOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
