import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FinishReason, GenerateRequest, GenerationContract, TokenLogprob } from '../../src/contracts/contract.ts';
import { detectContract } from '../../src/contracts/detect.ts';
import type { EmbeddedServer } from '../../src/servers/embedded/embedded-server.ts';
import { pulled } from '../support/pulled-responses.ts';
import { chat, modelName, startEmbedded } from './support.ts';

describe('the vLLM contract in front of an embedded model', () => {
  let server: EmbeddedServer;
  let contract: GenerationContract;

  beforeAll(async () => {
    server = await startEmbedded();
    const { config } = await server.call('ModelConfig', { name: modelName });
    const detection = detectContract(config);
    if (!('contract' in detection)) throw new Error(detection.reason);
    contract = detection.contract;
  });

  afterAll(() => server.close());

  async function generate(changes: Partial<GenerateRequest>) {
    const request: GenerateRequest = {
      id: 'c',
      model: modelName,
      version: '1',
      prompt: chat('What is the capital of France? Answer in one sentence.'),
      sampling: { maxTokens: 40, temperature: 0 },
      stream: true,
      ...changes,
    };
    const decoder = contract.decoder(request);
    const seen = { text: '', tokens: 0, prompt: 0, finish: [] as FinishReason[], logprobs: [] as TokenLogprob[] };
    for await (const batch of pulled(server, contract.encode(request)))
      for (const response of batch)
        decoder.push(response, {
          text: (text, tokens, logprobs) => {
            seen.text += text;
            seen.tokens += tokens;
            seen.logprobs.push(...(logprobs ?? []));
          },
          promptTokens: (count) => {
            seen.prompt = count;
          },
          ids: () => undefined,
          cachedTokens: () => undefined,
          promptLogprobs: () => undefined,
          endToken: () => undefined,
          engineReport: () => undefined,
          finish: (reason) => seen.finish.push(reason as FinishReason),
        });
    return seen;
  }

  it('finds it by its tensors, with its context and exact counts', () => {
    expect(contract).toMatchObject({ kind: 'vllm', counts: true, limits: { context: 1024 }, addsSpecialTokens: true });
  });

  it('reads the same answer streamed and not, with one finish and the logprobs of every token', async () => {
    const streamed = await generate({ logprobs: 2 });
    expect(streamed.text).toContain('Paris');
    expect(streamed.finish).toEqual(['stop']);
    expect(streamed.logprobs).toHaveLength(streamed.tokens);
    expect(streamed.prompt).toBeGreaterThan(10);
    const whole = await generate({ stream: false, logprobs: 2 });
    expect(whole).toMatchObject({
      text: streamed.text,
      tokens: streamed.tokens,
      finish: ['stop'],
      prompt: streamed.prompt,
    });
    expect(whole.logprobs.map(({ id }) => id)).toEqual(streamed.logprobs.map(({ id }) => id));
  });

  it('explains a prompt that is too long', async () => {
    const error = await generate({ prompt: 'word '.repeat(1500) }).catch((error: unknown) => error);
    expect(contract.explain(error as Parameters<GenerationContract['explain']>[0])).toMatchObject({
      code: 'context_length_exceeded',
      message: "This model's maximum context length is 1024 tokens. The prompt has 1501. Shorten it.",
    });
  });
});
