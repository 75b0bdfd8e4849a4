import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countOf } from '../gateway/requests.ts';
import { runConch } from '../support/command.ts';
import { type Conch, startConch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { directive } from '../support/exchange.ts';
import { startTrtllm, type Trtllm } from '../support/trtllm.ts';
import { chainModels } from '../support/trtllm-repository.ts';

const patience = 240_000;
let triton: Trtllm;
let flags: string[];
let left: ReturnType<typeof leave>;

beforeAll(async () => {
  triton = await startTrtllm({
    models: [...chainModels, 'llmapi'],
    values: { normalize_log_probs: 'false', max_beam_width: '2' },
    engine: { max_input_len: 512, max_seq_len: 600, max_beam_width: 2 },
  });
  flags = ['--triton', `127.0.0.1:${triton.grpcPort}`];
  // It takes its time, in which the other tests run.
  left = leave(15_000);
}, patience);
afterAll(async () => {
  await left;
  await triton.stop();
});

const generate = (...more: string[]) => runConch(['generate', 'ensemble', ...flags, ...more]);

/** Leaves a request that would never end. The time runs from the beginning, and a busy machine needs much of it. */
async function leave(milliseconds: number) {
  const tag = `left-${milliseconds}`;
  const text = directive({ tokens: 300, hold_at: 3, tag });
  const outcome = await generate('--text', text, '--streaming', '--stop-after-ms', String(milliseconds));
  return { ...outcome, tag, milliseconds };
}

describe('conch doctor', () => {
  it(
    'says of each model how it is spoken to',
    async () => {
      const { stdout, code } = await runConch(['doctor', ...flags]);
      const displayed = stdout
        .replaceAll(triton.tokenizerFolder, 'TOKENIZER')
        .replaceAll(`127.0.0.1:${triton.grpcPort}`, 'SERVER');
      expect(displayed).toMatchInlineSnapshot(`
        "SERVER: triton 2.51.0

        ensemble version 1 on SERVER: served
          state     READY
          contract  trtllm-tokens, direct to tensorrt_llm
          why       its engine takes input_ids, input_lengths and request_output_len, and there is a tokenizer
          inputs    input_ids, input_lengths, request_output_len, end_id, pad_id, stop_words_list, bad_words_list, embedding_bias, streaming, exclude_input_in_output, temperature, runtime_top_k, runtime_top_p, repetition_penalty, frequency_penalty, presence_penalty, min_tokens, seed, guided_decoding_guide_type, guided_decoding_guide, return_generation_logits, return_perf_metrics, beam_width, len_penalty
          outputs   output_ids, sequence_length, generation_logits, kv_cache_reused_blocks
          tokenizer TOKENIZER
          template  tokenizer_config.json of TOKENIZER
          parsers   tools: hermes; reasoning: qwen3
          limits    context 600 tokens, prompt 512 tokens, 2 beams, vocabulary of 151680
          supported temperature, top_p, top_k, repetition_penalty, frequency_penalty, presence_penalty, seed, stop, logit_bias, logprobs, top_logprobs, structured_outputs, min_tokens, ignore_eos, bad_words, stop_token_ids, use_beam_search, length_penalty
          emulated  allowed_token_ids, include_stop_str_in_output, skip_special_tokens, spaces_between_special_tokens, return_token_ids, truncate_prompt_tokens
          rejected  min_p: TensorRT-LLM has no input for it.
                    logits_post_processor_name: Only models on TensorRT-LLM's LLM API support it.
                    prompt_logprobs, logprob_token_ids, priority, cache_salt, thinking_token_budget, repetition_detection, vllm_xargs, mm_processor_kwargs, structural_tag, guided_whitespace_pattern: Only Conch's own vLLM model supports it. Create one with conch repo init vllm --conch.

        llmapi version 1 on SERVER: served
          state     READY
          contract  llmapi
          why       it takes text_input and inputs that begin with sampling_param_
          inputs    text_input, streaming, sampling_param_max_tokens, sampling_param_exclude_input_from_output, sampling_param_temperature, sampling_param_top_k, sampling_param_top_p, sampling_param_frequency_penalty, sampling_param_presence_penalty, sampling_param_seed, return_finish_reason, sampling_param_return_perf_metrics
          outputs   text_output, finish_reason, arrival_time_ns, first_scheduled_time_ns, first_token_time_ns, last_token_time_ns, total_draft_tokens, total_accepted_draft_tokens, kv_cache_hit_rate
          tokenizer -
          template  -
          parsers   tools: none; reasoning: none
          limits    unknown
          supported temperature, top_p, top_k, frequency_penalty, presence_penalty, seed
          emulated  stop, structured_outputs, include_stop_str_in_output
          rejected  min_p, repetition_penalty, logit_bias, logprobs, top_logprobs, min_tokens, ignore_eos, bad_words, allowed_token_ids, stop_token_ids, skip_special_tokens, spaces_between_special_tokens, use_beam_search, length_penalty: The model on TensorRT-LLM's LLM API has no input for it.
                    logits_post_processor_name: This model has no input for it (sampling_param_logits_post_processor_name).
                    prompt_logprobs, logprob_token_ids, priority, cache_salt, thinking_token_budget, repetition_detection, vllm_xargs, mm_processor_kwargs, structural_tag, guided_whitespace_pattern: Only Conch's own vLLM model supports it. Create one with conch repo init vllm --conch.
                    return_token_ids, truncate_prompt_tokens: It needs token ids, but this model takes and returns text.
          remarks   No chat template, so Conch rejects chat requests. Set --tokenizer llmapi=DIR or --chat-template llmapi=FILE.
                    No token counts, because the server does not count tokens and there is no tokenizer. Set --tokenizer llmapi=DIR.
                    Context length unknown. Set it with --context-length llmapi=8192.
                    The server may never respond to a request that it rejects. Limit the wait with --request-timeout.

        postprocessing version 1 on SERVER: served as part of another model
          why       it is part of ensemble

        preprocessing version 1 on SERVER: served as part of another model
          why       it is part of ensemble

        tensorrt_llm version 1 on SERVER: served as part of another model
          why       it is part of ensemble
        "
      `);
      expect(code).toBe(0);
    },
    patience,
  );

  it(
    'sends one request where it is asked to',
    async () => {
      const { stdout, code } = await runConch(['doctor', 'ensemble', '--probe', '--json', ...flags]);
      const { models } = JSON.parse(stdout) as { models: unknown };
      expect(models).toEqual([
        expect.objectContaining({
          model: 'ensemble',
          isServed: true,
          contract: 'trtllm-tokens',
          target: 'tensorrt_llm',
          limits: { context: 600, prompt: 512, beamWidth: 2, vocabulary: expect.any(Number) },
          probe: {
            text: expect.stringContaining('The sea is'),
            timing: expect.stringMatching(/^3 tokens in, 16 tokens out, first after \d+ ms, .* ended by length$/),
          },
        }),
      ]);
      expect(code).toBe(0);
    },
    patience,
  );

  it(
    'fails for a model that no contract fits and for a server that is not there, and names the models that are',
    async () => {
      const alone = await runConch(['doctor', 'ensemble', '--contract', 'vllm', ...flags]);
      expect([alone.code, alone.stdout]).toEqual([1, expect.stringContaining('NOT SERVED')]);
      const unknown = await runConch(['doctor', 'nobody', ...flags]);
      expect([unknown.code, unknown.stderr]).toEqual([
        2,
        'conch: No server has the model "nobody". Available models: ensemble, llmapi, postprocessing, preprocessing, tensorrt_llm.\n',
      ]);
      const silent = await runConch(['doctor', '--triton', '127.0.0.1:1', '--connect-timeout', '300ms']);
      expect([silent.code, silent.stdout]).toEqual([1, expect.stringMatching(/^127\.0\.0\.1:1: unreachable: .*\n$/)]);
    },
    patience,
  );
});

describe('conch generate', () => {
  it(
    'prints the answer and what it took',
    async () => {
      const text = directive({ answer: 'A 🦄 in 東京' });
      const { stdout, stderr, code } = await generate('--text', text, '--streaming');
      expect([stdout, code]).toEqual(['A 🦄 in 東京\n', 0]);
      expect(stderr).toMatch(/^\d+ tokens in, \d+ tokens out, first after \d+ ms, [\d.]+ tokens\/s, ended by stop\n$/);
    },
    patience,
  );

  it(
    'takes token ids, lengths, sampling and beams',
    async () => {
      const ids = await generate('--text', directive({ echo_ids: true }));
      const value = (JSON.parse(ids.stdout) as number[]).join(',');
      expect((await generate('--input-ids', value)).stdout).toBe(ids.stdout);
      const cut = await generate('--text', directive({ tokens: 9 }), '--request-output-len', '2', '--return-log-probs');
      expect(cut.stdout).toMatch(/^" a" -\d\.\d{4}\n" b" -\d\.\d{4}\n\n$/);
      expect(cut.stderr).toContain('ended by length');
      const ended = await generate('--text', directive({ tokens: 9 }), '--end-id', '293', '--temperature', '0.5');
      expect(ended.stdout).toBe(' a\n');
      const beams = await generate('--text', directive({ tokens: 2 }), '--beam-width', '2');
      expect([beams.code, beams.stdout]).toEqual([0, ' a b\n']);
    },
    patience,
  );

  it(
    'leaves when it is told to, which ends the request in the engine',
    async () => {
      const first = await left;
      const { stdout, stderr, code, tag, milliseconds } = first.stdout.includes('c') ? first : await leave(150_000);
      expect([stdout, code]).toEqual([' a b c\n', 0]);
      expect(stderr).toContain(`disconnected after ${milliseconds} ms`);
      const conch: Conch = await startConch({ flags });
      try {
        const { state, tokens } = await countOf(conch.url, tag, { model: 'ensemble', until: 'cancelled' });
        expect([state, tokens < 10]).toEqual(['cancelled', true]);
      } finally {
        await conch.stop();
      }
    },
    patience,
  );

  it(
    'says in one line what is wrong',
    async () => {
      const wrong = async (...words: string[]) => {
        const { stderr, code } = await runConch(['generate', ...words]);
        return [code, stderr.trim()];
      };
      expect(await wrong('ensemble', ...flags)).toEqual([
        2,
        'conch: conch generate needs either --text or --input-ids. Set one of them.',
      ]);
      expect(await wrong(...flags, '--text', 'x')).toEqual([
        2,
        'conch: conch generate needs one model. Write conch generate MODEL.',
      ]);
      expect(await wrong('ensemble', ...flags, '--input-ids', '1,x')).toEqual([
        2,
        'conch: --input-ids must be token ids, separated by commas or spaces, not "x".',
      ]);
      expect(await wrong('nobody', ...flags, '--text', 'x')).toEqual([1, 'conch: The model "nobody" does not exist.']);
      expect(
        await wrong('llmapi', ...flags, '--tokenizer', tokenizerFolder('qwen3'), '--text', 'x', '--bad-words', 'y'),
      ).toEqual([1, expect.stringMatching(/^conch: bad_words: /)]);
    },
    patience,
  );
});
