import { z } from 'zod';
import { type CommandInput, ownFlags } from '../config/load.ts';
import { setting } from '../config/setting.ts';
import { SettingsError } from '../config/settings-error.ts';
import { text } from '../config/value-types.ts';
import { ApiError } from '../errors.ts';
import { complete } from '../generate/completion.ts';
import { runInto } from '../generate/run-into.ts';
import type { ModelRegistry } from '../models/registry.ts';
import { unwatched } from '../request-watch.ts';
import { CompletionRequest } from '../requests/completion-request.ts';
import { parseRequest } from '../requests/fields.ts';
import { openParts } from '../serve/parts.ts';
import type { Terminal } from '../serve/terminal.ts';
import { untilSettled } from '../serve/until-settled.ts';
import type { CliCommand } from './command.ts';
import { Timing } from './timing.ts';

const number = z.number().optional();
const whole = z.number().int().min(0).optional();

const definition = {
  name: 'generate',
  summary: 'Send one prompt to a model and print the answer as it comes',
  groups: ['servers', 'repository', 'embedded', 'models', 'general'],
  arguments: 'MODEL',
  flags: {
    text: setting(text.optional(), 'The prompt, as it is: no chat template is put around it.'),
    inputIds: setting(text.optional(), 'The prompt as token ids, separated by commas or spaces.', {
      placeholder: 'IDS',
    }),
    requestOutputLen: setting(whole, 'The most tokens that are generated.'),
    streaming: setting(z.boolean().default(false), 'Print every token as it comes.'),
    stopAfterMs: setting(whole, 'Leave after so many milliseconds, which ends the request in the engine.'),
    endId: setting(whole, 'A token id that ends the answer; not for models that take text alone.', {
      placeholder: 'ID',
    }),
    stopWords: setting(z.array(text).default([]), 'A text that ends the answer; may be repeated.'),
    badWords: setting(z.array(text).default([]), 'A text that must not occur; may be repeated.'),
    beamWidth: setting(whole, 'Beams that are followed.'),
    temperature: setting(number, 'Temperature.', { placeholder: 'X' }),
    topK: setting(whole, 'Only the N likeliest tokens are considered.'),
    topP: setting(number, 'Only the likeliest tokens of this share are considered.', { placeholder: 'X' }),
    repetitionPenalty: setting(number, 'Repetition penalty.', { placeholder: 'X' }),
    presencePenalty: setting(number, 'Presence penalty.', { placeholder: 'X' }),
    frequencyPenalty: setting(number, 'Frequency penalty.', { placeholder: 'X' }),
    randomSeed: setting(whole, 'Seed.'),
    returnLogProbs: setting(z.boolean().default(false), 'Print the log probability of each token.'),
  },
  exitCodes: { 1: 'The request failed.' },
  examples: [
    'conch generate ensemble --triton localhost:8001 --text "The sea is" --request-output-len 32 --streaming',
    'conch generate tensorrt_llm --triton localhost:8001 --tokenizer ./llama3 --input-ids 128000,791,9581',
  ],
} as const;

/** `conch generate`: a client for any model that is served, as TensorRT-LLM's users have one for the engine. */
export const generateCommand: CliCommand = { definition, run };

async function run(input: CommandInput, terminal: Terminal): Promise<number> {
  const [model, ...more] = input.positionals;
  if (model === undefined || more.length > 0) throw new SettingsError(['conch generate needs the name of one model.']);
  const request = requestOf(model, input);
  const { registry, close } = await openParts(input, terminal, {
    onNote: (note) => terminal.err(note),
    onLog: (level, line) => {
      if (level === 'error') terminal.err(line);
    },
    onFault: (name, fault) => terminal.err(`${name}: ${fault.message}`),
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
    throw new SettingsError(['conch generate needs --text or --input-ids, and not both.']);
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
    throw new SettingsError([`--input-ids: ${JSON.stringify(wrong ?? written)} is not a list of token ids.`]);
  return ids.map(Number);
}

interface Surroundings {
  readonly registry: ModelRegistry;
  readonly input: CommandInput;
  readonly terminal: Terminal;
}

async function print(request: CompletionRequest, { registry, input, terminal }: Surroundings): Promise<number> {
  const { stopAfterMs } = ownFlags(input, definition);
  const leaving = stopAfterMs === undefined ? undefined : AbortSignal.timeout(stopAfterMs);
  const signal = leaving ? AbortSignal.any([leaving, terminal.stop]) : terminal.stop;
  const { requestTimeout, structuredRetries } = input.settings;
  const context = {
    findModel: (name: string) => registry.findForRequest(name),
    timeout: requestTimeout === 0 ? undefined : requestTimeout,
    retries: 0,
    structuredRetries,
    watch: unwatched,
  };
  const timing = new Timing((words) => terminal.write(words));
  try {
    const { generation } = await complete(request, context, signal);
    await runInto(generation, timing);
  } catch (error) {
    if (!leaving?.aborted) throw error;
  }
  terminal.write('\n');
  terminal.err(timing.summary(leaving?.aborted ? `left after ${stopAfterMs} ms` : undefined));
  return 0;
}
