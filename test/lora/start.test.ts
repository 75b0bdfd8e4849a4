import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runConch } from '../support/command.ts';
import { adapterFolder, config, weights } from '../support/npy.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-lora-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, 'conch.yaml');
const run = (text: string) => {
  writeFileSync(file, text);
  return runConch(['--config', file, '--triton', '127.0.0.1:1', '--port', '0']);
};
const good = { weights: weights([[1, 2]]), config: config([[1, 0, 8]]) };
adapterFolder(join(folder, 'good'), good);
adapterFolder(join(folder, 'cut'), { ...good, weights: good.weights.subarray(0, -1) });

it.each([
  [
    'models:\n  m:\n    lora:\n      a: { dir: ./good }\n      b: { dir: ./cut }\n',
    `${file}:3:5: models.m.lora.b: ${folder}/cut/model.lora_weights.npy is truncated: it has 3 bytes of data, but its shape needs 4.`,
  ],
  [
    'models:\n  m:\n    lora:\n      a: { dir: ./none }\n',
    `${file}:3:5: folder not found: ${folder}/none. Check the path.`,
  ],
  [
    'models:\n  m:\n    lora:\n      a: { dir: ./good }\n      a: { dir: ./good }\n',
    `${file}:5:7: Duplicate key. Remove one of the two.`,
  ],
  [
    'models:\n  m:\n    lora:\n      a: { dir: ./good, task_id: 1 }\n      b: { dir: ./good, task_id: 1 }\n',
    `${file}:5:25: models.m.lora.b.task_id must not be 1, which is the task_id of a.`,
  ],
  ['models:\n  m:\n    lora: [a, b, a]\n', `${file}:3:18: models.m.lora must not contain a twice.`],
  [
    'models:\n  m:\n    lora: yes please\n',
    `${file}:3:5: models.m.lora must be a map of keys and values, not "yes please".`,
  ],
  ['models:\n  m:\n    lora: { a: { dri: x } }\n', `${file}:3:18: models.m.lora.a.dri is not a key.`],
  ['models:\n  n:\n    serves: m\n    lora: [a]\n', 'models.n.lora: not supported for an alias. Set it for m instead.'],
])('a start with wrong adapters ends with their line (%#)', async (text, line) => {
  const { code, stderr } = await run(text);
  expect([code, stderr.split('\n')[0]]).toEqual([2, expect.stringContaining(line)]);
});
