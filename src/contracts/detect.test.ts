import { describe, expect, it } from 'vitest';
import { configOf, displayedInputs, requestOf } from '../../test/support/contract-fixtures.ts';
import {
  blsInputs,
  engineInputs,
  engineOutputs,
  ensembleInputs,
  preprocessingInputs,
  preprocessingOutputs,
  textOutputs,
} from '../repository/trtllm-tensors.ts';
import { detectContract, isTokenEngine } from './detect.ts';

const vllm = configOf('text_input STRING 1\nsampling_parameters STRING 1 optional', 'text_output STRING -1', {
  max_batch_size: 0,
});
const ensemble = configOf(ensembleInputs, textOutputs);
const bls = configOf(blsInputs, textOutputs, { model_transaction_policy: { decoupled: true } });
const engine = configOf(engineInputs, engineOutputs);
const llmapi = configOf('text_input STRING -1\nsampling_param_max_tokens INT32 1 optional', 'text_output STRING -1', {
  max_batch_size: 0,
});
/** The old one of gpt, which has few inputs and requires all words; the multimodal one has images beside them. */
const gpt = configOf(
  'text_input STRING -1\nmax_tokens INT32 -1\nbad_words STRING -1\nstop_words STRING -1',
  'text_output STRING -1,-1',
);
const multimodal = configOf(
  'text_input STRING 1\nimage_input FP16 -1,-1,-1,-1 optional\nmax_tokens INT32 1\nstream BOOL 1 optional',
  'text_output STRING -1\ncum_log_probs FP32 -1',
);
const preprocessing = configOf(preprocessingInputs, preprocessingOutputs);

const found = (...parts: Parameters<typeof detectContract>) => {
  const detection = detectContract(...parts);
  return 'contract' in detection ? detection.contract.kind : detection.reason;
};

describe('detectContract', () => {
  it.each([
    ['vllm', vllm],
    ['trtllm', ensemble],
    ['trtllm', bls],
    ['trtllm', gpt],
    ['trtllm', multimodal],
    ['llmapi', llmapi],
    ['it takes token ids, which needs a tokenizer', engine],
    ['no contract fits its tensors', preprocessing],
  ])('%s', (expected, config) => {
    expect(found(config)).toBe(expected);
    expect(isTokenEngine(config)).toBe(config === engine);
  });

  it('takes the word of the operator, and says which tensors are missing', () => {
    expect(found(llmapi, { forced: 'llmapi' })).toBe('llmapi');
    expect(found(ensemble, { forced: 'tensorrtllm' })).toBe('trtllm');
    expect(found(vllm, { forced: 'tensorrtllm' })).toBe(
      'it is set to the contract tensorrtllm, which does not fit its tensors',
    );
    expect(found(preprocessing, { forced: 'trtllm' })).toBe(
      'it is set to the contract trtllm, but has no input text_input, no input max_tokens, no output text_output',
    );
    expect(found({ ...ensemble, max_batch_size: 0 }, { forced: 'trtllm' })).toBe(
      'it is set to the contract trtllm, but has no max_batch_size of 1 or more',
    );
    expect(found(ensemble, { forced: 'llmapi' })).toBe(
      'it is set to the contract llmapi, but has no input sampling_param_*',
    );
    expect(found(vllm, { forced: 'trtllm-tokens' })).toBe(
      'it is set to the contract trtllm-tokens, but has no input input_ids, no input input_lengths, ' +
        'no input request_output_len, no output output_ids',
    );
  });

  it('wants texts where the contract has texts', () => {
    const images = configOf('text_input FP32 1\nmax_tokens INT32 1', 'text_output STRING -1');
    expect(found(images)).toBe('no contract fits its tensors');
  });

  it('tells of a model that takes nothing but text', () => {
    const plain = configOf('text_input STRING 1\nstreaming BOOL 1 optional', 'text_output STRING -1');
    expect(found(plain)).toBe(
      'it takes text_input and returns text_output, but has no inputs for sampling parameters like max_tokens',
    );
    const other = configOf('text_input STRING 1\nmax_tokens INT32 1', 'text_output STRING -1', { max_batch_size: 0 });
    expect(found(other)).toBe('no contract fits its tensors');
  });

  it('streams where the model says so, or its engine does', () => {
    const streams = (...parts: Parameters<typeof detectContract>) => {
      const detection = detectContract(...parts);
      if (!('contract' in detection)) throw new Error(detection.reason);
      return displayedInputs(detection.contract.encode(requestOf())).includes('stream BOOL [1,1] true');
    };
    expect(streams(bls)).toBe(true);
    expect(streams(ensemble)).toBe(false);
    expect(streams(ensemble, { decoupled: true })).toBe(true);
  });

  it('gives the way to stop on', () => {
    const stoppable = { ...llmapi, input: [...llmapi.input, { name: 'stop', data_type: 'TYPE_BOOL', dims: [1] }] };
    expect(detectContract(stoppable, { stopsByRequest: true })).toMatchObject({
      contract: { stopRequest: expect.any(Function) as unknown },
    });
    expect(detectContract(stoppable)).not.toHaveProperty('contract.stopRequest');
  });
});
