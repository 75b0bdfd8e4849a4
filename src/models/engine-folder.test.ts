import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readEngineFolder } from './engine-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-engine-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (config: unknown) => {
  writeFileSync(join(folder, 'config.json'), typeof config === 'string' ? config : JSON.stringify(config));
  return readEngineFolder(folder);
};

describe('readEngineFolder', () => {
  it('reads the limits that trtllm-build writes down', async () => {
    const config = {
      version: '1.2.1',
      pretrained_config: { architecture: 'LlamaForCausalLM', vocab_size: 128256, max_position_embeddings: 131072 },
      build_config: {
        max_input_len: 2048,
        max_seq_len: 4096,
        max_batch_size: 64,
        max_beam_width: 4,
        gather_generation_logits: true,
        plugin_config: { tokens_per_block: 32 },
      },
    };
    expect(await read(config)).toEqual({
      limits: { context: 4096, prompt: 2048, beamWidth: 4, vocabulary: 128256 },
      blockSize: 32,
      gathersLogits: true,
    });
  });

  it('takes the positions of the model for its context where the build names none', async () => {
    expect(await read({ pretrained_config: { max_position_embeddings: 512 } })).toEqual({
      limits: { context: 512 },
      gathersLogits: false,
    });
  });

  it('leaves out what is not there or is no count', async () => {
    const nothing = { limits: {}, gathersLogits: false };
    expect(await read({ build_config: { max_seq_len: -1, max_input_len: '5' }, pretrained_config: [] })).toEqual(
      nothing,
    );
    expect(await read([])).toEqual(nothing);
  });

  it('knows nothing of a folder that cannot be read', async () => {
    expect(await read('{')).toBeUndefined();
    expect(await readEngineFolder(join(folder, 'elsewhere'))).toBeUndefined();
  });
});
