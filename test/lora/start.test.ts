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
    `${file}:3:5: models.m.lora.b: ${folder}/cut/model.lora_weights.npy is cut off: it has 3 bytes of numbers where its shape needs 4.`,
  ],
  ['models:\n  m:\n    lora:\n      a: { dir: ./none }\n', `${file}:3:5: there is no folder ${folder}/none.`],
  [
    'models:\n  m:\n    lora:\n      a: { dir: ./good }\n      a: { dir: ./good }\n',
    `${file}:5:7: this key is given twice.`,
  ],
  [
    'models:\n  m:\n    lora:\n      a: { dir: ./good, task_id: 1 }\n      b: { dir: ./good, task_id: 1 }\n',
    `${file}:5:25: models.m.lora.b.task_id must not be that of a too, not 1.`,
  ],
  ['models:\n  m:\n    lora: [a, b, a]\n', `${file}:3:18: models.m.lora must not name a twice.`],
  [
    'models:\n  m:\n    lora: yes please\n',
    `${file}:3:5: models.m.lora must be a map of keys and values, not "yes please".`,
  ],
  ['models:\n  m:\n    lora: { a: { dri: x } }\n', `${file}:3:13: models.m.lora.a.dir must be text: put it in quotes.`],
  ['models:\n  n:\n    serves: m\n    lora: [a]\n', 'models.n.lora: set it for m itself, whose other name this is.'],
])('a start with wrong adapters ends with their line (%#)', async (text, line) => {
  const { code, stderr } = await run(text);
  expect([code, stderr.split('\n')[0]]).toEqual([2, expect.stringContaining(line)]);
});
