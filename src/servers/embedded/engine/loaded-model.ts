import type { InferRequest } from '../../../kserve/server.ts';
import { GrammarError } from '../grammar/grammar-error.ts';
import { structuredGrammar } from '../grammar/structured-output.ts';
import { type Adapter, Adapters, type LoraFile } from './adapters.ts';
import { CompletionWriter } from './completion-writer.ts';
import { DecodeLoop } from './decode-loop.ts';
import { Embedder } from './embedder.ts';
import type { Engine } from './engine.ts';
import { bindingsOf, contextBinding, modelBinding } from './engine-internals.ts';
import type { GrammarBinding, LlamaContext, LlamaModel } from './engine-types.ts';
import { EngineGeneration, type GenerationEnd } from './generation.ts';
import { badWordIds, checkPrompt, checkTokenIds } from './prompt-checks.ts';
import type { RequestInputs } from './request-inputs.ts';
import type { ResponseOutlet } from './response-outlet.ts';
import { readSamplingParameters, type SamplingParameters } from './sampling-parameters.ts';
import { invalidArgument } from './status-errors.ts';
import { TokenChooser } from './token-chooser.ts';
import { LogprobReader } from './token-logprobs.ts';
import type { Vocabulary } from './vocabulary.ts';

interface LoadedParts {
  readonly name: string;
  readonly version: string;
  readonly engine: Engine;
  readonly model: LlamaModel;
  /** Undefined for models that only compute embeddings. */
  readonly context: LlamaContext | undefined;
  readonly vocabulary: Vocabulary;
  readonly contextLength: number;
  readonly sequences: number;
  readonly batchSize: number;
  readonly queueSize: number;
  readonly threads: number;
  /** Bytes in memory, roughly. */
  readonly memory: number;
}

/** One request to a loaded model. */
export interface LoadedCall {
  readonly request: InferRequest;
  readonly inputs: RequestInputs;
  readonly outlet: ResponseOutlet;
  readonly onBegin: () => void;
  readonly onEnd: (end: GenerationEnd) => void;
}

/** The constraints on the choice of tokens in addition to the parameters. */
interface Constraints {
  readonly prompt: readonly number[];
  readonly badWords: readonly (readonly number[])[];
  readonly grammar: GrammarBinding | undefined;
}

/** A model in memory that serves requests. */
export class LoadedModel {
  readonly parts: LoadedParts;
  readonly adapters: Adapters;
  readonly #loop: DecodeLoop | undefined;
  readonly #embedder: Embedder;

  constructor(parts: LoadedParts) {
    this.parts = parts;
    const { context, sequences, batchSize, queueSize, engine } = parts;
    this.adapters = new Adapters({
      bindings: bindingsOf(engine.llama),
      model: modelBinding(parts.model),
      context: context && contextBinding(context),
      exclusively: engine.exclusively,
    });
    this.#embedder = new Embedder(parts);
    this.#loop = context
      ? new DecodeLoop({
          context: contextBinding(context),
          sequences,
          batchSize,
          queueSize,
          useAdapter: this.adapters.use,
          exclusively: engine.exclusively,
        })
      : undefined;
  }

  get figures(): DecodeLoop['figures'] | undefined {
    return this.#loop?.figures;
  }

  /** Checks paused and cancelled generations again. */
  wake(): void {
    this.#loop?.wake();
  }

  unloadAdapter(name: string): void {
    this.adapters.unload(name);
  }

  async loadAdapter(lora: LoraFile): Promise<void> {
    await this.adapters.load(lora);
  }

  /** Computes the vector of an embedding request. */
  async embed({ request, inputs, outlet }: LoadedCall): Promise<void> {
    const { vector, tokens } = await this.#embedder.embed(inputs.embedding as string);
    const { version } = this.parts;
    outlet.push(
      new CompletionWriter({ request, version, returns: inputs.returns, inputTokens: tokens }).writeVector(vector),
    );
    outlet.end();
  }

  /** Checks a request and passes it to the loop. Throws if the request is invalid. */
  async generate(call: LoadedCall): Promise<EngineGeneration> {
    if (!this.#loop) throw invalidArgument(`Model ${this.parts.name} does not support 'generate' request`);
    this.#loop.checkCapacity();
    const parameters = readSamplingParameters(call.inputs.sampling, call.request.parameters);
    const adapter = this.adapters.hold(parameters.lora_name);
    const onEnd = (end: GenerationEnd): void => {
      this.adapters.letGo(adapter);
      call.onEnd(end);
    };
    let generation: EngineGeneration;
    try {
      generation = await this.#prepare({ ...call, onEnd }, parameters, adapter);
    } catch (error) {
      this.adapters.letGo(adapter);
      throw error;
    }
    try {
      this.#loop.submit(generation);
    } catch (error) {
      generation.fail(error);
    }
    return generation;
  }

  async dispose(): Promise<void> {
    const { context, model, engine } = this.parts;
    await this.adapters.whenRead();
    // Wait for the running evaluation.
    await engine.exclusively(() => Promise.resolve());
    await this.#embedder.dispose();
    await context?.dispose();
    await model.dispose();
  }

  async #prepare(
    { request, inputs, outlet, onBegin, onEnd }: LoadedCall,
    parameters: SamplingParameters,
    adapter: Adapter | undefined,
  ): Promise<EngineGeneration> {
    const { version, vocabulary, contextLength } = this.parts;
    checkTokenIds(parameters, vocabulary.size);
    const text = inputs.prompt ?? '';
    // A prompt that is much too long is not tokenized to its end.
    const enough = parameters.truncate_prompt_tokens === undefined ? { enough: 8 * contextLength } : {};
    const whole = await vocabulary.encode(text, { addSpecialTokens: true, ...enough });
    const prompt = whole.slice(-(parameters.truncate_prompt_tokens ?? whole.length));
    const remaining = checkPrompt(prompt, contextLength);
    const badWords = await badWordIds(parameters.bad_words, vocabulary);
    const grammar = this.#grammar(parameters.structured_outputs);
    return new EngineGeneration({
      prompt,
      echo: inputs.echoesPrompt ? text : '',
      isStreamed: inputs.isStreamed,
      parameters,
      adapter,
      limit: Math.min(parameters.max_tokens, remaining),
      vocabulary,
      chooser: () => this.#chooser(parameters, { prompt, badWords, grammar }),
      logprobs: this.#logprobs(parameters.logprobs),
      writer: new CompletionWriter({ request, version, returns: inputs.returns, inputTokens: prompt.length }),
      outlet,
      onBegin,
      onEnd,
    });
  }

  #chooser(parameters: SamplingParameters, { prompt, badWords, grammar }: Constraints): TokenChooser {
    const { engine, model, vocabulary, contextLength } = this.parts;
    const bindings = bindingsOf(engine.llama);
    const binding = modelBinding(model);
    return new TokenChooser({
      bindings,
      model: binding,
      vocabulary,
      parameters,
      prompt,
      badWords,
      grammar: grammar && new bindings.AddonGrammarEvaluationState(binding, grammar),
      contextLength,
    });
  }

  #grammar(structuredOutputs: string | undefined): GrammarBinding | undefined {
    const text = structuredOutputs === undefined ? undefined : grammarText(structuredOutputs);
    if (text === undefined) return undefined;
    const bindings = bindingsOf(this.parts.engine.llama);
    try {
      return new bindings.AddonGrammar(text, { addonExports: bindings, rootRuleName: 'root' });
    } catch {
      throw invalidArgument(
        `${grammarField}: the grammar is not valid llama.cpp GBNF with a rule root, or it has too many repetitions.`,
      );
    }
  }

  #logprobs(count: number | undefined): (() => LogprobReader) | undefined {
    const { engine, model, vocabulary } = this.parts;
    if (count === undefined) return undefined;
    return () =>
      new LogprobReader({ bindings: bindingsOf(engine.llama), model: modelBinding(model), vocabulary, count });
  }
}

const grammarField = 'sampling_parameters.structured_outputs';

function grammarText(structuredOutputs: string): string | undefined {
  try {
    return structuredGrammar(structuredOutputs);
  } catch (error) {
    if (error instanceof GrammarError) throw invalidArgument(`${grammarField}${error.location}: ${error.message}.`);
    throw error;
  }
}
