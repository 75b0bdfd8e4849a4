import type { Sampling } from '../contracts/contract.ts';
import type { GenerateEvents } from '../contracts/events.ts';
import { ApiError } from '../errors.ts';
import type { InferenceServer } from '../kserve/server.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { WantedStructure } from '../openai/structure.ts';
import { withLength } from './answer.ts';
import { ChoiceStream, type Tally } from './choice-stream.ts';
import { merge } from './merge.ts';

/** A request after its prompts are texts and its values are checked: what every API's request becomes. */
export interface GenerationOptions {
  readonly model: ServedModel;
  readonly requestId: string;
  readonly prompts: readonly string[];
  /** How many answers each prompt gets; choice number `prompt * choicesPerPrompt + answer`. */
  readonly choicesPerPrompt: number;
  readonly sampling: Sampling;
  readonly logprobs: number | undefined;
  readonly structure: WantedStructure | undefined;
  readonly stream: boolean;
  /** Text that stands before each answer of the prompt of the same number. */
  readonly prefixes: readonly string[];
  /** The request field that the prompts came from. */
  readonly promptField: 'messages' | 'prompt';
  readonly signal: AbortSignal;
  /** Milliseconds; undefined: no limit. */
  readonly timeout: number | undefined;
}

/** Sends one inference for every choice and gives their events as they come. */
export async function generate(options: GenerationOptions): Promise<GenerateEvents> {
  const { model, prompts, choicesPerPrompt, signal } = options;
  const counted = model.contract.counts ? undefined : await countPrompts(options);
  const limits = prompts.map((_, index) => withLength(options.sampling, lengthLimit(options, counted?.[index])));
  checkIds(model, options.sampling);
  const tally: Tally = {
    promptTokens: counted?.reduce((sum, count) => sum + count, 0),
    completionTokens: 0,
    unfinished: prompts.length * choicesPerPrompt,
  };
  const { promptField, structure } = options;
  // Completions have no top_logprobs: there it is the number in logprobs.
  const fields = {
    prompt: promptField,
    ...(promptField === 'prompt' ? { top_logprobs: 'logprobs' } : {}),
    ...(structure ? { structured_outputs: structure.field } : {}),
  };
  const place = { contract: model.contract, fields, signal };
  const choices = prompts.flatMap((prompt, promptIndex) =>
    Array.from({ length: choicesPerPrompt }, (_, answer) => {
      const choice = promptIndex * choicesPerPrompt + answer;
      const sampling = choiceSampling(limits[promptIndex] as Sampling, answer);
      const { contract, version } = model;
      const id = prompts.length * choicesPerPrompt > 1 ? `${options.requestId}-${choice}` : options.requestId;
      const request = {
        id,
        model: model.model,
        version,
        prompt,
        sampling,
        stream: options.stream,
        ...(options.logprobs === undefined ? {} : { logprobs: options.logprobs }),
        ...(structure ? { structure: structure.structure } : {}),
      };
      return new ChoiceStream({
        choice,
        responses: nextServer(model).stream(contract.encode(request), {
          signal,
          ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
        }),
        decoder: contract.decoder(request),
        prefix: options.prefixes[promptIndex] ?? '',
        tally,
        countsPrompt: counted === undefined && answer === 0,
        countedPrompt: answer === 0 ? counted?.[promptIndex] : undefined,
        place,
      });
    }),
  );
  const [only] = choices;
  return choices.length === 1 && only ? only : merge(choices);
}

/** Each answer of a prompt has a seed of its own, so that a seeded request with several answers is repeatable. */
function choiceSampling(sampling: Sampling, answer: number): Sampling {
  return sampling.seed === undefined ? sampling : { ...sampling, seed: sampling.seed + answer };
}

/** The prompts' token counts by our own tokenizer; undefined where the model has none. */
async function countPrompts({ model, prompts }: GenerationOptions): Promise<number[] | undefined> {
  const { tokenizer } = await model.assets();
  if (!tokenizer) return undefined;
  return Promise.all(prompts.map((prompt) => tokenizer.count(prompt, { addSpecialTokens: model.addsSpecialTokens })));
}

/** What the request asks for, else what the context holds; where the prompt was counted, the room that it leaves. */
function lengthLimit(options: GenerationOptions, counted: number | undefined): number | undefined {
  const { model, sampling, promptField } = options;
  const context = model.contextLength();
  if (context === undefined) return sampling.maxTokens;
  if (counted === undefined) return sampling.maxTokens ?? context;
  if (counted >= context)
    throw new ApiError(
      'context_length_exceeded',
      `The prompt has ${counted} tokens; this model's context holds ${context}. Shorten it.`,
      { param: promptField },
    );
  return Math.min(sampling.maxTokens ?? context, context - counted);
}

/** Token ids outside the vocabulary are refused by name, where the vocabulary is known. */
function checkIds(model: ServedModel, { stopTokenIds, allowedTokenIds, logitBias }: Sampling): void {
  const size = model.loadedAssets()?.tokenizer?.vocabularySize;
  if (size === undefined) return;
  const given = {
    stop_token_ids: stopTokenIds ?? [],
    allowed_token_ids: allowedTokenIds ?? [],
    logit_bias: Object.keys(logitBias ?? {}).map(Number),
  };
  for (const [param, ids] of Object.entries(given)) {
    const strange = ids.find((id) => id >= size);
    if (strange === undefined) continue;
    const message = `${param}: ${strange} is not in this model's vocabulary of ${size} tokens.`;
    throw new ApiError('invalid_request', message, { param });
  }
}

let turn = 0;

/** The servers of a model in turn. */
function nextServer(model: ServedModel): InferenceServer {
  return model.servers[turn++ % model.servers.length] as InferenceServer;
}
