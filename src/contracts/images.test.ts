import { describe, expect, it } from 'vitest';
import { configOf, displayedInputs, requestOf } from '../../test/support/contract-fixtures.ts';
import type { ModelConfig } from '../kserve/messages.ts';
import { blsInputs, engineInputs, engineOutputs, ensembleInputs, textOutputs } from '../repository/trtllm-tensors.ts';
import type { GenerationContract } from './contract.ts';
import { llmapiContract } from './llmapi.ts';
import { trtllmContract } from './trtllm.ts';
import { trtllmTokensContract } from './trtllm-tokens.ts';
import { vllmContract } from './vllm.ts';

const images = [
  { type: 'image/png', bytes: Buffer.from('one') },
  { type: 'image/webp', bytes: Buffer.from('two!') },
];

const linesOf = (contract: GenerationContract, sent = images): string[] =>
  displayedInputs(contract.encode(requestOf({ images: sent }))).filter((line) => line.startsWith('image'));

const vllm = (inputs: string, backend = 'vllm') =>
  vllmContract(
    configOf(`text_input STRING 1\nsampling_parameters STRING 1 optional${inputs}`, 'text_output STRING -1', {
      max_batch_size: 0,
      backend,
    }),
  );
const imageTensor = '\nimage STRING -1 optional';

const multimodal = (dims: string, parts: Partial<ModelConfig> = { ensemble_scheduling: { step: [] } }) =>
  trtllmContract(
    {
      ...configOf(
        `text_input STRING 1\nmax_tokens INT32 1\nimage_input FP16 -1,-1,-1,-1 optional\nimage_url_input STRING ${dims} optional`,
        'text_output STRING -1',
      ),
      ...parts,
    },
    { decoupled: true },
  );

const llmapi = (inputs: string) =>
  llmapiContract(
    configOf(`text_input STRING -1\nsampling_param_max_tokens INT32 1 optional${inputs}`, 'text_output STRING -1', {
      max_batch_size: 0,
    }),
    { decoupled: true, stopsByRequest: false },
  );

describe('images to vLLM', () => {
  it('are base64 without a prefix, in their order', () => {
    expect(vllm(imageTensor).images).toEqual({ kind: 'taken' });
    expect(linesOf(vllm(imageTensor))).toEqual(['image BYTES [2] ["b25l","dHdvIQ=="]']);
    expect(displayedInputs(vllm(imageTensor).encode(requestOf())).join()).not.toContain('image');
  });

  it('are refused where the release has no tensor for them, and by the embedded engine', () => {
    expect(vllm('').images).toEqual({
      kind: 'refused',
      reason: "This release of Triton's vLLM backend takes no images; 24.12 and later do.",
    });
    expect(vllm(imageTensor, 'llamacpp').images).toEqual({
      kind: 'refused',
      reason: 'The embedded engine accepts only text.',
    });
  });
});

describe('images to TensorRT-LLM', () => {
  const refused = { kind: 'refused', reason: 'This model of TensorRT-LLM has no input for images.' };

  it('are data URLs with the one beginning that preprocessing knows, as many as the tensor has room for', () => {
    expect([multimodal('-1').images, multimodal('1').images]).toEqual([{ kind: 'taken' }, { kind: 'taken', most: 1 }]);
    expect(linesOf(multimodal('-1'))).toEqual([
      'image_url_input BYTES [1,2] ["data:image/jpeg;base64,b25l","data:image/jpeg;base64,dHdvIQ=="]',
    ]);
    expect(linesOf(multimodal('-1'), [])).toEqual([]);
  });

  it('are for a BLS model that has a multimodal encoder, and for no other', () => {
    const bls = (encoder: string) =>
      trtllmContract(configOf(blsInputs, textOutputs, { parameters: { multimodal_encoders_name: encoder } }), {
        decoupled: true,
      });
    expect(bls('multimodal_encoders').images).toEqual({ kind: 'taken', most: 1 });
    for (const unset of ['', '${multimodal_encoders_name}']) expect(bls(unset).images).toEqual(refused);
    expect(trtllmContract(configOf(ensembleInputs, textOutputs), { decoupled: true }).images).toEqual(refused);
    expect(multimodal('-1', {}).images).toEqual(refused);
  });

  it('are data URLs of their own type for the LLM API', () => {
    const seeing = llmapi('\nimage_url STRING -1 optional');
    expect(seeing.images).toEqual({ kind: 'taken' });
    expect(linesOf(seeing)).toEqual([
      'image_url BYTES [2] ["data:image/png;base64,b25l","data:image/webp;base64,dHdvIQ=="]',
    ]);
    expect([llmapi('').images, llmapi('\nimage_url FP32 -1 optional').images]).toEqual([refused, refused]);
  });

  it('are refused by an engine that Conch uses directly', () => {
    const facts = { limits: {}, addsSpecialTokens: true, gathersLogits: false, stopsByRequest: false };
    expect(trtllmTokensContract(configOf(engineInputs, engineOutputs), facts).images).toMatchObject({
      kind: 'refused',
    });
  });
});
