import { z } from 'zod';
import { type CommandInput, ownFlags } from '../config/load.ts';
import { setting } from '../config/setting.ts';
import { SettingsError } from '../config/settings-error.ts';
import { text } from '../config/value-types.ts';
import { ApiError } from '../errors.ts';
import { complete } from '../generate/completion.ts';
import { runInto } from '../generate/run-into.ts';
import type { ModelRegistry } from '../models/registry.ts';
import { noWatch } from '../request-watch.ts';
import { CompletionRequest } from '../requests/completion-request.ts';
import { parseRequest } from '../requests/fields.ts';
import { openCore } from '../serve/core.ts';
import type { Terminal } from '../serve/terminal.ts';
import { untilSettled } from '../serve/until-settled.ts';
import type { CliCommand } from './command.ts';
import { Timing } from './timing.ts';

const number = z.number().optional();
const whole = z.number().int().min(0).optional();

const definition = {
  name: 'generate',
  summary: 'Send one prompt to a model and print the response',
  groups: ['servers', 'repository', 'embedded', 'models', 'general'],
  arguments: 'MODEL',
  flags: {
    text: setting(text.optional(), 'Set the prompt. It is sent as it is, without a chat template.'),
    inputIds: setting(text.optional(), 'Set the prompt as token ids, separated by commas or spaces.', {
      placeholder: 'IDS',
    }),
    requestOutputLen: setting(whole, 'Set the token limit.'),
    streaming: setting(z.boolean().default(false), 'Print every token as it arrives.'),
    stopAfterMs: setting(whole, 'Disconnect after this many milliseconds, which ends the request in the engine.'),
    endId: setting(whole, 'End the response at this token id. Models that take only text do not support it.', {
      placeholder: 'ID',
    }),
    stopWords: setting(z.array(text).default([]), 'Add a stop sequence.'),
    badWords: setting(z.array(text).default([]), 'Add a text that must not occur.'),
    beamWidth: setting(whole, 'Set the beam width.'),
    temperature: setting(number, 'Set the temperature.', { placeholder: 'X' }),
    topK: setting(whole, 'Consider only the N most likely tokens.'),
    topP: setting(number, 'Consider only the most likely tokens with this total probability.', { placeholder: 'X' }),
    repetitionPenalty: setting(number, 'Set the repetition penalty.', { placeholder: 'X' }),
    presencePenalty: setting(number, 'Set the presence penalty.', { placeholder: 'X' }),
    frequencyPenalty: setting(number, 'Set the frequency penalty.', { placeholder: 'X' }),
    randomSeed: setting(whole, 'Set the seed.'),
    returnLogProbs: setting(z.boolean().default(false), 'Print the log probability of each token.'),
  },
  exitCodes: { 1: 'The request failed.' },
  examples: [
    'conch generate ensemble -t gpu-1:8001 --text "The sea is" --streaming',
    'conch generate tensorrt_llm -t gpu-1:8001 --tokenizer ./llama3 --input-ids 791',
  ],
} as const;

/** `conch generate`: a client for any served model, like the client of TensorRT-LLM for its engine. */
export const generateCommand: CliCommand = { definition, run };

async function run(input: CommandInput, terminal: Terminal): Promise<number> {
  const [model, ...more] = input.positionals;
  if (model === undefined || more.length > 0)
    throw new SettingsError(['conch generate needs one model. Write conch generate MODEL.']);
  const request = requestOf(model, input);
  const { registry, close } = await openCore(input, terminal, {
    onNote: (note) => terminal.err(note),
    onLog: (level, line) => {
      if (level === 'error') terminal.err(line);
    },
    onError: (name, error) => terminal.err(`${name}: ${error.message}`),
  });
  try {
    await untilSettled(registry, input);
    return await print(request, { registry, input, terminal });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    terminal.err(`conch: ${error.message}`);
    return 1;
  } finally {
    await close();
  }
}

function requestOf(model: string, input: CommandInput): CompletionRequest {
  const flags = ownFlags(input, definition);
  if ((flags.text === undefined) === (flags.inputIds === undefined))
    throw new SettingsError(['conch generate needs either --text or --input-ids. Set one of them.']);
  const body = {
    model,
    prompt: flags.text ?? idsOf(flags.inputIds ?? ''),
    stream: flags.streaming,
    max_tokens: flags.requestOutputLen,
    beam_width: flags.beamWidth,
    temperature: flags.temperature,
    top_k: flags.topK,
    top_p: flags.topP,
    repetition_penalty: flags.repetitionPenalty,
    presence_penalty: flags.presencePenalty,
    frequency_penalty: flags.frequencyPenalty,
    seed: flags.randomSeed,
    ...(flags.endId === undefined ? {} : { stop_token_ids: [flags.endId] }),
    ...(flags.stopWords.length > 0 ? { stop: flags.stopWords } : {}),
    ...(flags.badWords.length > 0 ? { bad_words: flags.badWords } : {}),
    ...(flags.returnLogProbs ? { logprobs: 0 } : {}),
  };
  try {
    return parseRequest(CompletionRequest, body).request;
  } catch (error) {
    if (error instanceof ApiError) throw new SettingsError([error.message]);
    throw error;
  }
}

function idsOf(written: string): number[] {
  const ids = written.split(/[\s,]+/).filter((word) => word !== '');
  const wrong = ids.find((word) => !/^\d+$/.test(word));
  if (wrong !== undefined || ids.length === 0)
    throw new SettingsError([
      `--input-ids must be token ids, separated by commas or spaces, not ${JSON.stringify(wrong ?? written)}.`,
    ]);
  return ids.map(Number);
}

interface InferenceContext {
  readonly registry: ModelRegistry;
  readonly input: CommandInput;
  readonly terminal: Terminal;
}

async function print(request: CompletionRequest, { registry, input, terminal }: InferenceContext): Promise<number> {
  const { stopAfterMs } = ownFlags(input, definition);
  const disconnectSignal = stopAfterMs === undefined ? undefined : AbortSignal.timeout(stopAfterMs);
  const signal = disconnectSignal ? AbortSignal.any([disconnectSignal, terminal.stop]) : terminal.stop;
  const { requestTimeout, structuredRetries } = input.settings;
  const context = {
    findModel: (name: string) => registry.findForRequest(name),
    timeout: requestTimeout === 0 ? undefined : requestTimeout,
    retries: 0,
    structuredRetries,
    watch: noWatch,
  };
  const timing = new Timing((words) => terminal.write(words));
  try {
    const { generation } = await complete(request, context, signal);
    await runInto(generation, timing);
  } catch (error) {
    if (!disconnectSignal?.aborted) throw error;
  }
  terminal.write('\n');
  terminal.err(timing.summary(disconnectSignal?.aborted ? `disconnected after ${stopAfterMs} ms` : undefined));
  return 0;
}
