import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ModelConfig } from '../kserve/messages.ts';
import { fitModel, type KnownModel, type ModelHints } from './fit.ts';

const folder = mkdtempSync(join(tmpdir(), 'conch-fit-'));
const tokenizer = join(folder, 'tokenizer');
const engine = join(folder, 'engine');
mkdirSync(tokenizer);
mkdirSync(engine);
writeFileSync(join(tokenizer, 'tokenizer.json'), '{}');
writeFileSync(
  join(engine, 'config.json'),
  JSON.stringify({ build_config: { max_seq_len: 4096, max_input_len: 2048 } }),
);
afterAll(() => rmSync(folder, { recursive: true }));

const tensors = (names: string, type = 'TYPE_INT32') =>
  names.split(' ').map((name) => ({ name, data_type: type, dims: [1] }));

const parameters = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { string_value: value }]));

function model(name: string, config: Partial<ModelConfig>): KnownModel {
  const empty = { name, platform: '', backend: 'python', max_batch_size: 8, input: [], output: [], parameters: {} };
  return { name, version: '1', config: { ...empty, ...config } };
}

const texts = { input: [...tensors('text_input', 'TYPE_STRING'), ...tensors('max_tokens')] };
const textOutput = { output: tensors('text_output', 'TYPE_STRING') };
const steps = (...names: string[]) => ({ step: names.map((name) => ({ model_name: name })) });

const trtllm = model('tensorrt_llm', {
  backend: 'tensorrtllm',
  input: tensors('input_ids input_lengths request_output_len'),
  output: tensors('output_ids sequence_length'),
  parameters: parameters({ gpt_model_path: engine, max_beam_width: '2' }),
  model_transaction_policy: { decoupled: true },
});
const preprocessing = model('preprocessing', {
  input: tensors('QUERY', 'TYPE_STRING'),
  parameters: parameters({ tokenizer_dir: tokenizer, add_special_tokens: 'False' }),
});
const postprocessing = model('postprocessing', { input: tensors('TOKENS_BATCH') });
const ensemble = model('ensemble', {
  ...texts,
  ...textOutput,
  platform: 'ensemble',
  backend: '',
  ensemble_scheduling: steps('preprocessing', 'tensorrt_llm', 'postprocessing'),
});
const bls = model('my_bls', { ...texts, ...textOutput });
const chain = [ensemble, preprocessing, trtllm, postprocessing];

/** What was found of a model, without the functions of its contract. */
async function fit(target: KnownModel, all: readonly KnownModel[], hints: ModelHints = {}) {
  const { detection, target: to, tokenizerDirectory } = await fitModel(target, all, hints);
  if ('reason' in detection) return { reason: detection.reason };
  const { kind, limits, addsSpecialTokens } = detection.contract;
  return { kind, limits, addsSpecialTokens, target: to?.name, tokenizerDirectory };
}

const straight = {
  kind: 'trtllm-tokens',
  limits: { context: 4096, prompt: 2048, beamWidth: 2 },
  addsSpecialTokens: false,
  target: 'tensorrt_llm',
  tokenizerDirectory: tokenizer,
};

/** The same models, the tokenizer of which is not on this machine. */
const foreign = [
  ensemble,
  trtllm,
  postprocessing,
  model('preprocessing', { ...preprocessing.config, parameters: parameters({ tokenizer_dir: '/elsewhere' }) }),
];

describe('fitModel', () => {
  it('sends the requests of an ensemble straight to its engine where the tokenizer is at hand', async () => {
    expect(await fit(ensemble, chain)).toEqual(straight);
  });

  it('does the same for a BLS model, which names its engine', async () => {
    expect(await fit(bls, [...chain, bls])).toEqual(straight);
    const renamed = { ...trtllm, name: 'engine' };
    const named = model('my_bls', { ...bls.config, parameters: parameters({ tensorrt_llm_model_name: 'engine' }) });
    expect(await fit(named, [named, preprocessing, renamed])).toEqual({ ...straight, target: 'engine' });
  });

  it('says of the parts what they are parts of, and serves an engine with nothing in front', async () => {
    for (const part of [preprocessing, trtllm, postprocessing])
      expect(await fit(part, chain)).toEqual({ reason: 'it is part of ensemble' });
    expect(await fit(trtllm, [bls, preprocessing, trtllm])).toEqual({ reason: 'it is part of my_bls' });
    const alone = { ...straight, addsSpecialTokens: true, target: undefined, tokenizerDirectory: undefined };
    expect(await fit(trtllm, [trtllm], { tokenizer: 'some/name' })).toEqual(alone);
    expect(await fit(trtllm, [trtllm])).toEqual({
      reason: 'it takes token ids, but has no tokenizer: start Conch with --tokenizer tensorrt_llm=DIR',
    });
  });

  it('speaks text to the ensemble where there is no tokenizer, or the operator says so', async () => {
    expect(await fit(ensemble, foreign)).toMatchObject({ kind: 'trtllm', target: undefined });
    expect(await fit(ensemble, foreign, { contract: 'tensorrtllm' })).toMatchObject({ kind: 'trtllm' });
    expect(await fit(ensemble, foreign, { tokenizer: 'some/name' })).toMatchObject({ kind: 'trtllm-tokens' });
    expect(await fit(ensemble, chain, { contract: 'trtllm' })).toMatchObject({
      kind: 'trtllm',
      target: undefined,
      tokenizerDirectory: tokenizer,
    });
  });

  it('takes no other Python model with a text input for one in front of the engine', async () => {
    const guard = model('guard', { input: tensors('text_input', 'TYPE_STRING') });
    const llmapi = model('llama', {
      max_batch_size: 0,
      input: [...tensors('text_input', 'TYPE_STRING'), ...tensors('sampling_param_max_tokens')],
      ...textOutput,
    });
    expect(await fit(trtllm, [guard, llmapi, trtllm], { tokenizer })).toMatchObject({ kind: 'trtllm-tokens' });
  });

  it('stays with the text where the engine needs more than the tokens of the prompt', async () => {
    const encoder = model('multimodal_encoders', { input: tensors('pixel_values', 'TYPE_FP16') });
    const seeing = model('ensemble', {
      ...ensemble.config,
      ensemble_scheduling: steps('preprocessing', 'multimodal_encoders', 'tensorrt_llm', 'postprocessing'),
    });
    expect(await fit(seeing, [seeing, encoder, ...chain.slice(1)])).toMatchObject({ kind: 'trtllm' });
    const taking = model('ensemble', {
      ...ensemble.config,
      input: [...ensemble.config.input, { name: 'image_url_input', data_type: 'TYPE_STRING', dims: [-1] }],
    });
    expect(await fit(taking, [taking, ...chain.slice(1)])).toMatchObject({ kind: 'trtllm' });
  });

  it('streams from an ensemble whose engine does, and from a BLS model only where it says so itself', async () => {
    const streams = async (outer: KnownModel) => {
      const { detection } = await fitModel(outer, [outer, ...chain.slice(1)], { contract: 'trtllm' });
      if ('reason' in detection) throw new Error(detection.reason);
      const request = { id: '', model: '', version: '', prompt: 'x', sampling: {}, stream: true };
      return detection.contract.encode(request).inputs.find(({ name }) => name === 'stream')?.data[0];
    };
    const streaming = { ...texts, input: [...texts.input, ...tensors('stream', 'TYPE_BOOL')] };
    expect(await streams(model('ensemble', { ...ensemble.config, ...streaming }))).toBe(1);
    const single = model('my_bls', { ...bls.config, ...streaming });
    expect(await streams(single)).toBe(0);
    const decoupled = { model_transaction_policy: { decoupled: true } };
    expect(await streams(model('my_bls', { ...single.config, ...decoupled }))).toBe(1);
  });

  it('serves the engine of an ensemble under its own name too if it is set', async () => {
    const hints = { contract: 'trtllm-tokens', tokenizer } as const;
    expect(await fit(trtllm, chain, hints)).toMatchObject({ kind: 'trtllm-tokens', target: undefined });
  });

  it("takes token ids to Conch's own vLLM model where the tokenizer is at hand, else text", async () => {
    const input = [...tensors('input_ids'), ...tensors('sampling_params', 'TYPE_STRING')];
    const own = model('own', { input, output: tensors('token_ids'), max_batch_size: 0 });
    expect(await fit(own, [own])).toMatchObject({ kind: 'conch-tokens' });
    const speaksTokens = async (hints: ModelHints, ...repositories: string[]) => {
      const { detection } = await fitModel(own, [own], hints, repositories);
      return 'contract' in detection ? detection.contract.speaksTokens : detection.reason;
    };
    expect([await speaksTokens({}), await speaksTokens({ tokenizer })]).toEqual([false, true]);
    mkdirSync(join(folder, 'repository', 'own', '1'), { recursive: true });
    writeFileSync(join(folder, 'repository', 'own', '1', 'model.json'), JSON.stringify({ model: tokenizer }));
    expect(await speaksTokens({}, join(folder, 'repository'))).toBe(true);
    expect(await speaksTokens({ contract: 'vllm' })).toBe(
      'it is set to the contract vllm, but has no input text_input, no input sampling_parameters, no output text_output',
    );
  });

  it('says why a contract that the operator sets does not fit', async () => {
    expect(await fit(bls, [bls], { contract: 'trtllm-tokens' })).toEqual({
      reason: 'its contract is set to trtllm-tokens, but it has no TensorRT-LLM engine',
    });
    expect(await fit(ensemble, foreign, { contract: 'trtllm-tokens' })).toEqual({
      reason: 'it takes token ids, but has no tokenizer: start Conch with --tokenizer ensemble=DIR',
    });
    expect(await fit(ensemble, chain, { contract: 'vllm' })).toMatchObject({
      reason: expect.stringContaining('it is set to the contract vllm, but has no input sampling_parameters'),
    });
  });

  it('takes the limits from the folder that the operator names', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'config.json'), JSON.stringify({ build_config: { max_seq_len: 100 } }));
    expect(await fit(ensemble, chain, { engineDir: other })).toMatchObject({ limits: { context: 100, beamWidth: 2 } });
  });
});
