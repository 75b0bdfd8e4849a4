import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadSettings } from '../src/config/load.ts';
import { inRoot } from './lib/steps.mjs';

const files = readdirSync(inRoot('deploy'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.name.endsWith('.json'))
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => ({ path: path.slice(inRoot('.').length), text: readFileSync(path, 'utf8') }));
const { version } = JSON.parse(read('package.json'));

/** @param {string} path */
function read(path) {
  return readFileSync(inRoot(path), 'utf8');
}

describe('deploy/', () => {
  it('names no variable that Conch does not have', () => {
    const settings = read('docs/settings.md');
    const named = files.flatMap(({ text }) => text.match(/\bCONCH_[A-Z_]+/g) ?? []);
    expect(named.length).toBeGreaterThan(10);
    expect([...new Set(named)].filter((name) => !settings.includes(`\`${name}\``))).toEqual([]);
  });

  it('pins every image by its version', () => {
    const images = files.flatMap(({ text }) => [
      ...text.matchAll(/^(?:FROM| *image:|IMAGE=\$\{IMAGE-) *([^\s{}]+:[^\s{}]+)/gm),
    ]);
    expect(images.length).toBeGreaterThan(8);
    expect(images.map(([, image = '']) => image).filter((image) => !/:v?\d+\.\d+/.test(image))).toEqual([]);
  });

  it('is of the version of the package, as is the changelog', () => {
    const chart = parse(read('deploy/helm/conch/Chart.yaml'));
    expect({ version: chart.version, appVersion: chart.appVersion }).toEqual({ version, appVersion: version });
    const named = files.flatMap(({ text }) => [...text.matchAll(/\bconch:(\d+\.\d[\w.-]*)|image\.version="([^"]+)"/g)]);
    expect(named.length).toBeGreaterThan(3);
    expect(named.map(([, tag, label]) => tag ?? label).filter((found) => found !== version)).toEqual([]);
    expect(read('CHANGELOG.md')).toContain(`\n## [${version}]`);
  });

  it.each(['vllm', 'trtllm', 'open-webui', 'observability'])(
    'compose/%s.yaml gives settings that are valid',
    (name) => {
      const shared = parse(read('deploy/compose/conch.yaml')).services.conch.environment;
      const own = parse(read(`deploy/compose/${name}.yaml`)).services.conch.environment;
      const environment = Object.fromEntries(
        Object.entries({ ...shared, ...own }).map(([key, value]) => [
          key,
          String(value).replace(/^\$\{\w+:-(.*)\}$/, '$1'),
        ]),
      );
      expect(loadSettings({ environment })).toMatchObject({ apiKey: [], drainTimeout: 60_000 });
    },
  );

  it.each(['vllm', 'trtllm'])(
    'compose/%s.yaml waits as long for Conch as for Triton, whose models it needs',
    (name) => {
      const conch = parse(read('deploy/compose/conch.yaml')).services.conch;
      const { triton } = parse(read(`deploy/compose/${name}.yaml`)).services;
      expect(conch.healthcheck?.start_period).toBe(triton.healthcheck.start_period);
    },
  );

  it('kubernetes/conch.yaml has a file of settings that is valid', () => {
    const documents = parseAllDocuments(read('deploy/kubernetes/conch.yaml')).map((document) => document.toJS());
    const { data } = documents.find(({ kind }) => kind === 'ConfigMap');
    const settings = loadSettings({ environment: { CONCH_CONFIG: '/conch.yaml' }, readFile: () => data['conch.yaml'] });
    const pod = documents.find(({ kind }) => kind === 'Deployment').spec.template.spec;
    expect(settings.drainDelay + settings.drainTimeout).toBeLessThan(pod.terminationGracePeriodSeconds * 1000);
  });

  it.each([
    ['deploy/compose/conch.yaml', /^ *stop_grace_period: (\d+)s$/m, { CONCH_DRAIN_TIMEOUT: '60s' }],
    ['deploy/systemd/conch.service', /^TimeoutStopSec=(\d+)s$/m, {}],
    ['docs/deployment.md', /--stop-timeout (\d+) /, {}],
  ])('%s waits longer than answers may take to finish', (path, line, environment) => {
    const [, seconds] = line.exec(read(path)) ?? [];
    const settings = loadSettings({ environment: { CONCH_TRITON: 'x:8001', ...environment } });
    expect(Number(seconds) * 1000).toBeGreaterThan(settings.drainDelay + settings.drainTimeout);
  });

  it.each([
    ['systemd/conch.service', /^ExecStart=\S+ (.*)$/m],
    ['slurm/trtllm-multi-node.sbatch', /^"\$\{command\[@\]\}" (.*) &$/m],
  ])('%s starts Conch with flags that are valid', (path, line) => {
    const [, words = ''] = line.exec(read(`deploy/${path}`)) ?? [];
    const values = words
      .replaceAll('"', '')
      .replaceAll(/\$\w*PORT/g, '9000')
      .replaceAll(/\$\w+/g, 'x')
      .split(' ');
    expect(values.length).toBeGreaterThan(1);
    expect(() => loadSettings({ argv: values, readFile: () => 'triton: [x:8001]' })).not.toThrow();
  });
});
