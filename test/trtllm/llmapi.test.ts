import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { begin, countOf, streamedChoices, textsOf, user } from '../gateway/requests.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { directive } from '../support/exchange.ts';
import { eventsOf, post, type Response } from '../support/gateway.ts';
import { startTrtllm, type Trtllm } from '../support/trtllm.ts';

const patience = 240_000;
const model = 'llmapi';
let triton: Trtllm;
let conch: Conch;
const folder = mkdtempSync(join(tmpdir(), 'conch-llmapi-'));

beforeAll(async () => {
  triton = await startTrtllm({ models: [model], release: 'main' });
  const adapters = {
    sql: { server_path: '/adapters/sql', task_id: 7, source: 'hf' },
    poems: { server_path: '/adapters/poems' },
  };
  const config = join(folder, 'conch.json');
  writeFileSync(config, JSON.stringify({ models: { llmapi: { lora: adapters } } }));
  conch = await startConch({
    flags: ['--triton', `127.0.0.1:${triton.grpcPort}`, '--tokenizer', triton.tokenizerFolder, '--config', config],
  });
}, patience);
afterAll(async () => {
  await conch.stop();
  await triton.stop();
  rmSync(folder, { recursive: true });
});

const complete = (body: object): Promise<Response> => post(`${conch.url}/v1/completions`, { model, ...body });
const choiceOf = ({ body }: Response) => (body['choices'] as Record<string, unknown>[])[0];

describe('an LLM API model', () => {
  it.each(['plain words', 'It is 👩‍👩‍👧 in 東京, مرحبا', 'def f():\n    return  1\n'])(
    'turns its cumulative text into deltas: %j',
    async (response) => {
      const prompt = directive({ answer: response });
      expect(choiceOf(await complete({ prompt }))).toMatchObject({ text: response, finish_reason: 'stop' });
      const streamed = await complete({ prompt, stream: true });
      expect(streamedChoices(streamed)).toEqual([{ text: response, reasons: ['stop'] }]);
      expect(streamed.text).not.toContain('\uFFFD');
    },
  );

  it('counts with the tokenizer what the backend does not', async () => {
    const prompt = directive({ tokens: 5 });
    const { body } = await complete({ prompt });
    const usage = body['usage'] as Record<string, number>;
    expect([usage['prompt_tokens'], usage['completion_tokens']]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(usage['completion_tokens']).toBeGreaterThanOrEqual(5);
    expect(usage['completion_tokens']).toBeLessThanOrEqual(6);
    const events = eventsOf(
      (await complete({ prompt, stream: true, stream_options: { include_usage: true } })).text,
    ) as Record<string, unknown>[];
    expect(events.at(-2)).toMatchObject({ choices: [], usage: { prompt_tokens: usage['prompt_tokens'] } });
  });

  it('says length when the length ran out', async () => {
    const cut = await complete({ prompt: directive({ tokens: 20 }), max_tokens: 5 });
    expect(choiceOf(cut)).toMatchObject({ text: ' a b c d e', finish_reason: 'length' });
  });

  it.each([true, false])('ends at a stop text, in the engine too (stream %s)', async (stream) => {
    const tag = `llmapi stop, stream ${stream}`;
    const response = await complete({ prompt: directive({ tokens: 300, hold_at: 3, tag }), stop: 'b c', stream });
    const seen = stream ? streamedChoices(response) : choiceOf(response);
    expect(seen).toMatchObject(stream ? [{ text: ' a ', reasons: ['stop'] }] : { text: ' a ', finish_reason: 'stop' });
    const { state, tokens } = await countOf(conch.url, tag, { model, until: 'cancelled' });
    expect([state, tokens < 10]).toEqual(['cancelled', true]);
  });

  it('ends in the engine when its client leaves', async () => {
    const tag = 'llmapi leaver';
    const body = { model, prompt: directive({ tokens: 300, hold_at: 3, tag }), stream: true };
    const { until, leave } = begin(`${conch.url}/v1/completions`, body);
    await until(' c"');
    await leave();
    const { state, tokens } = await countOf(conch.url, tag, { model, until: 'cancelled' });
    expect([state, tokens < 10]).toEqual(['cancelled', true]);
  });

  it('sends what the request says', async () => {
    const response = await complete({
      prompt: directive({ echo_parameters: true }),
      temperature: 0.5,
      top_p: 0.25,
      top_k: 7,
      seed: 11,
      max_tokens: 50,
      frequency_penalty: 0.5,
      presence_penalty: -0.5,
    });
    const {
      request_id: _,
      text_input: __,
      ...sent
    } = JSON.parse(textsOf(response)[0] ?? '') as Record<string, unknown>;
    expect(sent).toMatchInlineSnapshot(`
      {
        "return_finish_reason": true,
        "sampling_param_exclude_input_from_output": true,
        "sampling_param_frequency_penalty": 0.5,
        "sampling_param_max_tokens": 50,
        "sampling_param_presence_penalty": -0.5,
        "sampling_param_return_perf_metrics": true,
        "sampling_param_seed": 11,
        "sampling_param_temperature": 0.5,
        "sampling_param_top_k": 7,
        "sampling_param_top_p": 0.25,
        "streaming": false,
      }
    `);
  });

  it('selects a logits post-processor by its name', async () => {
    const body = { prompt: directive({ echo_parameters: true }), max_tokens: 50 };
    const response = await complete({ ...body, logits_post_processor_name: 'lowercase' });
    expect(JSON.parse(textsOf(response)[0] ?? '')).toMatchObject({
      sampling_param_logits_post_processor_name: 'lowercase',
    });
  });

  it('selects a LoRA adapter by its name', async () => {
    const body = { prompt: directive({ echo_parameters: true }), max_tokens: 50 };
    const adapted = await complete({ ...body, model: 'llmapi_lora_sql' });
    expect(JSON.parse(textsOf(adapted)[0] ?? '')).toMatchObject({
      lora_id: 7,
      lora_name: 'sql',
      lora_path: '/adapters/sql',
      lora_ckpt_source: 'hf',
    });
    const other = JSON.parse(textsOf(await complete({ ...body, model: 'llmapi_lora_poems' }))[0] ?? '');
    expect([other.lora_name, other.lora_path, other.lora_ckpt_source]).toEqual(['poems', '/adapters/poems', undefined]);
    expect(other.lora_id).toBeGreaterThan(0);
    const listed = (await (await fetch(`${conch.url}/v1/models`)).json()) as { data: { id: string }[] };
    expect(listed.data.map(({ id }) => id)).toEqual(['llmapi', 'llmapi_lora_sql', 'llmapi_lora_poems']);
    const unknown = await complete({ ...body, model: 'llmapi_lora_other' });
    expect([unknown.status, unknown.body.error?.['code']]).toEqual([404, 'model_not_found']);
    const loading = await post(`${conch.url}/v1/load_lora_adapter`, { lora_name: 'x', lora_path: 'x', model });
    expect(loading.status).toBe(400);
  });

  it('reports the times and drafts of the engine', async () => {
    const response = await complete({ prompt: directive({ tokens: 5, drafts: [8, 6] }) });
    expect(response.body['usage']).toMatchObject({
      completion_tokens_details: { accepted_prediction_tokens: 6, rejected_prediction_tokens: 2 },
    });
    expect(response.headers.get('server-timing')).toMatch(
      /engine-queue;dur=[\d.]+, engine-prefill;dur=[\d.]+, engine-decode;dur=[\d.]+, total;dur=/,
    );
    const metrics = await (await fetch(`${conch.url}/metrics`)).text();
    const label = `model="llmapi",server="127.0.0.1:${triton.grpcPort}"`;
    expect(metrics).toContain(`conch_draft_tokens_total{${label},key=""} 8`);
    expect(metrics).toContain(`conch_accepted_draft_tokens_total{${label},key=""} 6`);
    expect(metrics).toMatch(new RegExp(`conch_kv_cache_hit_ratio_count\\{${label}\\} [1-9]`));
    expect(metrics).toContain(`conch_engine_phase_duration_seconds_count{phase="decode",${label}}`);
  });

  it('chats', async () => {
    const response = await post(`${conch.url}/v1/chat/completions`, {
      model,
      messages: user(directive({ tokens: 3 })),
    });
    expect(textsOf(response)).toEqual([' a b c']);
  });

  it('answers for a backend that never answers, when the time is up', async () => {
    const hasty = await startConch({
      flags: [
        '--triton',
        `127.0.0.1:${triton.grpcPort}`,
        '--tokenizer',
        triton.tokenizerFolder,
        '--request-timeout',
        '500ms',
      ],
    });
    try {
      const body = { model, prompt: directive({ silent: true }) };
      const { status, body: value } = await post(`${hasty.url}/v1/completions`, body);
      expect([status, value.error]).toEqual([
        504,
        {
          message: 'The response was not complete within the time limit.',
          type: 'server_error',
          param: null,
          code: 'deadline_exceeded',
        },
      ]);
    } finally {
      await hasty.stop();
    }
  });
});
