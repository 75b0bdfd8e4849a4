import type { GenerateDecoder, GenerateRequest, GenerateSink, Sampling } from '../../src/contracts/contract.ts';
import { LocalResponse } from '../../src/kserve/local-response.ts';
import type { ModelConfig, ModelTensor } from '../../src/kserve/messages.ts';
import type { InferRequest } from '../../src/kserve/server.ts';
import { isNumberDatatype, readNumber, readTexts, type Tensor } from '../../src/kserve/tensors.ts';

interface ConfigParts extends Partial<Omit<ModelConfig, 'input' | 'output' | 'parameters'>> {
  readonly parameters?: Readonly<Record<string, string>>;
}

/** A configuration from tables of tensors as src/repository/trtllm-tensors.ts writes them. */
export function configOf(
  inputs: string,
  outputs: string,
  { parameters = {}, ...parts }: ConfigParts = {},
): ModelConfig {
  return {
    name: 'm',
    platform: '',
    backend: '',
    max_batch_size: 8,
    ...parts,
    input: tensorsOf(inputs),
    output: tensorsOf(outputs),
    parameters: Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, { string_value: value }])),
  };
}

function tensorsOf(table: string): ModelTensor[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', type = '', dims = '', ...marks] = line.trim().split(' ');
      return {
        name,
        data_type: `TYPE_${type.replace(/\{.*\}/, 'FP32')}`,
        dims: dims.split(',').map(Number),
        optional: marks.includes('optional'),
      };
    });
}

/** A value for every sampling parameter that TensorRT-LLM's models share. */
export const sharedSampling: Sampling = {
  maxTokens: 9,
  minTokens: 2,
  temperature: 0.5,
  topP: 0.25,
  topK: 40,
  repetitionPenalty: 1.5,
  frequencyPenalty: 0.5,
  presencePenalty: -0.5,
  seed: 7,
};

export function requestOf(parts: Partial<GenerateRequest> = {}): GenerateRequest {
  return { id: 'r', model: 'm', version: '1', prompt: 'Hi', sampling: {}, stream: true, ...parts };
}

/** The inputs of a request, each as a line: name, datatype, shape and elements. */
export function displayedInputs({ inputs }: InferRequest): string[] {
  return inputs.map((tensor) => `${tensor.name} ${tensor.datatype} [${tensor.shape.join()}] ${elementsOf(tensor)}`);
}

function elementsOf({ data, datatype }: Tensor): string {
  if (datatype === 'BYTES') return JSON.stringify(readTexts(data));
  if (datatype === 'BOOL') return [...data].map((byte) => byte === 1).join();
  if (!isNumberDatatype(datatype)) throw new Error(`${datatype} is not shown`);
  const size = datatype.endsWith('64') ? 8 : 4;
  const elements = [];
  for (let at = 0; at < data.length; at += size)
    elements.push(Number(readNumber(data.subarray(at), datatype)?.toPrecision(6)));
  return elements.join();
}

export function responseOf(outputs: readonly Tensor[], final: boolean): LocalResponse {
  return new LocalResponse({ model: 'm', version: '1', id: 'r', outputs, final });
}

/** All that a decoder finds in responses, in order. */
export function decoded(decoder: GenerateDecoder, responses: readonly LocalResponse[]): unknown[] {
  const found: unknown[] = [];
  const sink: GenerateSink = {
    text: (...parts) => found.push(['text', ...parts.filter((part) => part !== undefined)]),
    ids: (ids, logprobs, response) => found.push(['ids', [...ids], ...(logprobs ? [logprobs] : []), response]),
    endToken: (id, response) => found.push(['end token', id, response]),
    promptTokens: (count) => found.push(['prompt', count]),
    cachedTokens: (count) => found.push(['cached', count]),
    promptLogprobs: (logprobs) => found.push(['prompt logprobs', logprobs]),
    engineReport: (report) => found.push(['engine', report]),
    finish: (reason, response) => found.push(['finish', reason, response]),
  };
  for (const response of responses) decoder.push(response, sink);
  return found;
}
