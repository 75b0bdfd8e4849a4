import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runConch } from '../support/command.ts';
import { type Minilm, startMinilm } from './minilm.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-rows-'));
let minilm: Minilm;
beforeAll(async () => {
  minilm = await startMinilm(['minilm-text', 'minilm-ids', 'cross-ids', 'cross-text', 'classes']);
}, 120_000);
afterAll(async () => {
  await minilm.stop();
  rmSync(folder, { recursive: true });
});

describe('conch doctor', () => {
  it('says how vectors are made of token ids, and makes one', async () => {
    const { code, stdout } = await runConch(['doctor', 'minilm-ids', '--probe', ...minilm.flags]);
    expect(stdout).toContain(`minilm-ids version 1 on 127.0.0.1:${minilm.triton.grpcPort}: served
  state     READY
  contract  embedding
  why       it takes a text or its token ids and returns a vector for it or for each token
  inputs    input_ids, attention_mask, token_type_ids
  outputs   last_hidden_state
  tokenizer ${minilm.folder}
  limits    context 256 tokens
  vectors   token ids in, batches of up to 64, 384 values out, mean pooling in Conch, normalized
  probe     response after `);
    expect(stdout).toMatch(/"384 values, the first -?0\.\d{6}"/);
    expect(code).toBe(0);
  });

  it('shows what is set for a model, what is a guess, and why one is not served', async () => {
    const config = join(folder, 'conch.yaml');
    writeFileSync(
      config,
      `models:
  minilm-ids: {embedding: {pooling: cls, normalize: false, prompt: "query: "}}
  minilm-text: {embedding: {output: nothing}}
  cross-text: {rerank: {activation: sigmoid}}
`,
    );
    const flags = ['--triton', `127.0.0.1:${minilm.triton.grpcPort}`, '--tokenizer', `minilm-ids=${minilm.folder}`];
    const { code, stdout } = await runConch(['doctor', '--json', '--config', config, ...flags]);
    const { models } = JSON.parse(stdout) as { models: { model: string; state: string; reason?: string }[] };
    const loaded = models.filter(({ state }) => state === 'READY');
    const found = Object.fromEntries(loaded.map((each) => [each.model, each]));
    expect(found['minilm-ids']).toMatchObject({
      contract: 'embedding',
      embedding: { takes: 'ids', batch: 64, dimensions: 384, pooling: 'cls', normalize: false, prompt: 'query: ' },
      remarks: [],
    });
    expect(found['cross-text']).toMatchObject({
      contract: 'rerank',
      rerank: { takes: 'text', batch: 8, dimensions: 1, activation: 'sigmoid', label: 0 },
      remarks: ['No tokenizer, so Conch does not count tokens and rejects token ids. Set --tokenizer cross-text=DIR.'],
    });
    expect(Object.fromEntries(loaded.map(({ model, reason }) => [model, reason]))).toEqual({
      classes: 'it sorts texts into 3 classes; to rerank by one of them, set rerank.label',
      'cross-ids': 'it takes token ids, but has no tokenizer: start Conch with --tokenizer cross-ids=DIR',
      'cross-text': undefined,
      'minilm-ids': undefined,
      'minilm-text': 'embedding.output is set to nothing, but it has no output of this name; it has sentence_embedding',
    });
    expect(code).toBe(1);
  });
});

describe('conch models', () => {
  it('has a row for each, with what it can do as its contract', async () => {
    const { stdout } = await runConch(['models', ...minilm.flags]);
    const rows = stdout.split('\n').map((line) => line.split(/\s{2,}/));
    const contracts = Object.fromEntries(rows.slice(1).map(([name, , , contract]) => [name, contract]));
    expect(contracts).toMatchObject({ 'minilm-text': 'embedding', 'cross-ids': 'rerank', classes: '-' });
  });
});
