import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { helm, onPath, pythonTools } from './deploy-tools.mjs';
import { capture, inRoot } from './steps.mjs';

/** @typedef {{ what: string, prepare: () => Promise<string>, run: (tool: string) => Promise<unknown> }} Check */

const CHART = 'deploy/helm/conch';
/** What the chart is written for: a helm that Go has compiled from its module takes a cluster of 1.20 for granted. */
const KUBERNETES = ['--namespace', 'inference', '--kube-version', '1.34.0'];
/** How exposed systemd may find the unit, in tenths: below 20 it calls it safe, from 50 on exposed. */
const EXPOSURE = 25;

const SBOM = `
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
sys.exit(None if fault is None else str(fault))
`;

/**
 * What is checked of deploy/, each with how its tool is had and what it says.
 * @type {Check[]}
 */
export const deployChecks = [
  {
    what: 'deploy/Dockerfile, by hadolint',
    prepare: pythonTools,
    run: (tools) => check(join(tools, 'bin', 'hadolint'), ['deploy/Dockerfile']),
  },
  {
    what: "deploy/compose/, by the compose specification's schema",
    prepare: pythonTools,
    run: (tools) => {
      const schema = ['-m', 'check_jsonschema', '--builtin-schema', 'vendor.compose-spec'];
      return check(join(tools, 'bin', 'python'), [...schema, ...filesIn('deploy/compose', '.yaml')]);
    },
  },
  {
    what: 'shell scripts, by bash -n',
    prepare: () => onPath('bash'),
    run: async (bash) => {
      for (const file of shellScripts()) await check(bash, ['-n', file]);
    },
  },
  {
    what: 'shell scripts, by shellcheck',
    prepare: pythonTools,
    run: (tools) => check(join(tools, 'bin', 'shellcheck'), ['--shell=bash', ...shellScripts()]),
  },
  {
    what: 'deploy/kubernetes/, by the schemas of Kubernetes',
    prepare: pythonTools,
    run: (tools) => conform(tools, filesIn('deploy/kubernetes', '.yaml')),
  },
  {
    what: `${CHART}, by helm lint`,
    prepare: helm,
    run: async (program) => {
      for (const values of valueFlags()) await check(program, ['lint', '--strict', CHART, ...values]);
    },
  },
  {
    what: `${CHART}, as helm template writes it, by the schemas of Kubernetes (but for ServiceMonitor, which it has not)`,
    prepare: helm,
    run: async (program) => {
      const tools = await pythonTools();
      for (const values of valueFlags()) {
        const written = await check(program, ['template', 'conch', CHART, ...KUBERNETES, ...values]);
        const known = written.split(/^---$/m).filter((document) => !/^kind: ServiceMonitor$/m.test(document));
        await withFile('conch.yaml', known.join('---'), (file) => conform(tools, [file]));
      }
    },
  },
  {
    what: 'deploy/systemd/conch.service, by systemd-analyze verify (another program in the place of conch)',
    prepare: () => onPath('systemd-analyze'),
    run: (analyze) => withUnit((unit) => check(analyze, ['verify', '--man=no', '--recursive-errors=no', unit])),
  },
  {
    what: `deploy/systemd/conch.service, by systemd-analyze security (exposure at most ${EXPOSURE / 10})`,
    prepare: () => onPath('systemd-analyze'),
    run: (analyze) =>
      withUnit((unit) => check(analyze, ['security', '--offline=true', `--threshold=${EXPOSURE}`, unit])),
  },
  {
    what: 'dist/sbom.cdx.json, by the schema of CycloneDX 1.6',
    prepare: pythonTools,
    run: (tools) => check(join(tools, 'bin', 'python'), ['-c', SBOM, 'dist/sbom.cdx.json']),
  },
];

/**
 * Runs a tool in the checkout; what it says is in the error when it fails.
 * @param {string} program
 * @param {string[]} options
 */
function check(program, options) {
  return capture(program, options, { what: program, cwd: inRoot('.') });
}

/**
 * Holds manifests against the schemas of Kubernetes that kubernetes-validate brings, no unknown field allowed.
 * @param {string} tools
 * @param {string[]} files
 */
function conform(tools, files) {
  return check(join(tools, 'bin', 'python'), ['-m', 'kubernetes_validate', '--strict', ...files]);
}

/** The chart as it is without values, and with each file of ci/. */
function valueFlags() {
  return [[], ...filesIn(`${CHART}/ci`, '.yaml').map((file) => ['--values', file])];
}

function shellScripts() {
  return [...filesIn('deploy/slurm', ''), '.ci/run'];
}

/**
 * @param {string} folder
 * @param {string} ending
 */
function filesIn(folder, ending) {
  const names = readdirSync(inRoot(folder)).filter((name) => name.endsWith(ending));
  return names.toSorted().map((name) => `${folder}/${name}`);
}

/**
 * @param {string} name
 * @param {string} text
 * @param {(file: string) => Promise<unknown>} body
 */
async function withFile(name, text, body) {
  const folder = mkdtempSync(join(tmpdir(), 'conch-deploy-'));
  try {
    writeFileSync(join(folder, name), text);
    return await body(join(folder, name));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * A copy of the unit whose program is there: systemd-analyze looks for it.
 * @param {(unit: string) => Promise<unknown>} body
 */
function withUnit(body) {
  const text = readFileSync(inRoot('deploy/systemd/conch.service'), 'utf8');
  return withFile('conch.service', text.replace('ExecStart=/usr/local/bin/conch', 'ExecStart=/bin/true'), body);
}
