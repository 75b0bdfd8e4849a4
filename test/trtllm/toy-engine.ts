import { join } from 'node:path';
import { Tokenizer } from 'tokenizers';
import { startTrtllm } from '../support/trtllm.ts';
import type { TrtllmOptions } from '../support/trtllm-repository.ts';
import { type AskOptions, type Inputs, type Response, ToyClient } from './toy-client.ts';

/** The end token of qwen3. */
export const endToken = 151_645;

/** One response with the answer alone. */
export const whole = { streaming: false, exclude_input_in_output: true };

/** The engine alone, with nothing in front of it. */
export interface ToyEngine {
  /** Streams unless the inputs say otherwise. */
  ask(prompt: string, inputs?: Inputs, options?: AskOptions): Promise<Response>;
  encode(text: string): Promise<number[]>;
  textOf(response: Response): Promise<string>;
  stop(): Promise<void>;
}

export async function startEngine(options: TrtllmOptions): Promise<ToyEngine> {
  const triton = await startTrtllm({ ...options, models: ['tensorrt_llm'] });
  const client = new ToyClient(triton.grpcPort);
  const tokenizer = Tokenizer.fromFile(join(triton.tokenizerFolder, 'tokenizer.json'));
  const encode = async (text: string) => (await tokenizer.encode(text, null, { addSpecialTokens: false })).getIds();
  return {
    encode,
    ask: async (prompt, inputs = {}, askOptions = {}) => {
      const ids = await encode(prompt);
      const prompted = { input_ids: ids, input_lengths: ids.length, request_output_len: 100, end_id: endToken };
      return client.ask('tensorrt_llm', { ...prompted, streaming: true, ...inputs }, askOptions);
    },
    textOf: (response) => tokenizer.decode(idsOf(response), true),
    stop: async () => {
      await client.close();
      await triton.stop();
    },
  };
}

/** An output of each response. */
export function outputsOf({ messages }: Response, name: string): unknown[] {
  return messages.map(({ outputs }) => outputs[name]);
}

/** The token ids of all responses. */
export function idsOf(response: Response): number[] {
  return outputsOf(response, 'output_ids').flat(3) as number[];
}
