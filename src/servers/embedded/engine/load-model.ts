import { EngineError } from '../../../engine-error.ts';
import type { RecommendedDefaults } from '../../../kserve/server.ts';
import { messageOf } from '../../../thrown.ts';
import { type GgufHeader, readGgufHeader } from '../gguf/header.ts';
import type { LoraFile } from './adapters.ts';
import type { Engine } from './engine.ts';
import { modelBinding } from './engine-internals.ts';
import type { LlamaContext, LlamaModel } from './engine-types.ts';
import { LoadedModel } from './loaded-model.ts';
import { checkMemory } from './memory.ts';
import { factsOf, type ModelFacts } from './model-facts.ts';
import { Vocabulary } from './vocabulary.ts';

/** A GGUF file to serve, and how. */
export interface EmbeddedModelOptions {
  readonly name: string;
  /** Left out: 1. */
  readonly version?: string;
  readonly file: string;
  /** Tokens of prompt and completion together; left out: the trained context length, at most 4,096. */
  readonly contextLength?: number;
  /** Requests that run at the same time; left out: 4. */
  readonly sequences?: number;
  readonly lora?: readonly LoraFile[];
  readonly threads?: number;
  /** Requests that may wait for a sequence; left out: 64. */
  readonly queueSize?: number;
  /** Defaults for omitted request fields; left out: as with any other server. */
  readonly defaults?: RecommendedDefaults;
}

const defaultContext = 4096;
const defaultSequences = 4;
const defaultQueue = 64;
const largestBatch = 512;

interface LoadOptions {
  readonly options: EmbeddedModelOptions;
  readonly engine: () => Promise<Engine>;
  readonly availableMemory: number;
  readonly onProgress: (fraction: number) => void;
}

/** A model in memory, with its file's header and facts. */
export interface LoadResult {
  readonly model: LoadedModel;
  readonly header: GgufHeader;
  readonly facts: ModelFacts;
}

/** Loads a GGUF file into memory. Checks the file before it starts the engine. */
export async function loadModel(load: LoadOptions): Promise<LoadResult> {
  const { options, engine: start, availableMemory, onProgress } = load;
  const { file, sequences = defaultSequences } = options;
  const header = await readGgufHeader(file);
  const facts = factsOf(header);
  if (facts.isAdapter) throw new EngineError(`${file} is a LoRA adapter, not a model. Load it with --lora.`);
  if (header.vocabularySize === 0)
    throw new EngineError(
      `${file} has no vocabulary, so it is not a language model. Use the GGUF file of a language model.`,
    );
  const contextLength = options.contextLength ?? Math.min(facts.trainedContext, defaultContext);
  const context = contextLength * facts.bytesPerToken * (facts.onlyEmbeds ? 1 : sequences);
  const engine = await start();
  if (engine.llama.gpu === false) checkMemory({ file, weights: header.fileSize, context, available: availableMemory });
  const threads = options.threads ?? engine.defaultThreads;
  const batchSize = Math.max(sequences, Math.min(largestBatch, contextLength));
  const model = await withReason(engine, file, () =>
    engine.llama.loadModel({ modelPath: file, onLoadProgress: onProgress }),
  );
  let llamaContext: LlamaContext | undefined;
  try {
    if (!facts.onlyEmbeds)
      llamaContext = await withReason(engine, file, () =>
        model.createContext({
          sequences,
          contextSize: contextLength,
          batchSize,
          threads,
          // With a full cache, a conversation can continue also on models with a sliding window.
          swaFullCache: true,
          ignoreMemorySafetyChecks: engine.llama.gpu === false,
          failedCreationRemedy: false,
        }),
      );
    const kind = String(header.values.get('tokenizer.ggml.model') ?? '');
    const loaded = new LoadedModel({
      name: options.name,
      version: options.version ?? '1',
      engine,
      model,
      context: llamaContext,
      vocabulary: new Vocabulary(modelBinding(model), { size: header.vocabularySize, kind }),
      contextLength,
      sequences,
      batchSize,
      queueSize: options.queueSize ?? defaultQueue,
      threads,
      memory: header.fileSize + context,
    });
    for (const lora of options.lora ?? []) await loaded.loadAdapter(lora);
    // Checks every token, so do it now and not with the first request.
    loaded.parts.vocabulary.ends.has(0);
    return { model: loaded, header, facts };
  } catch (error) {
    await dispose(llamaContext, model);
    throw error;
  }
}

async function dispose(context: LlamaContext | undefined, model: LlamaModel): Promise<void> {
  await context?.dispose();
  await model.dispose();
}

/** Throws with the reason that llama.cpp logs; its own error is too general. */
async function withReason<Result>(engine: Engine, file: string, work: () => Promise<Result>): Promise<Result> {
  engine.takeComplaints();
  try {
    return await work();
  } catch (error) {
    const [reason = messageOf(error)] = engine
      .takeComplaints()
      .map((line) => line.replace(/^\w+: (error loading model: )?/, ''));
    throw new EngineError(`${file} cannot be loaded: ${reason}`, { cause: error });
  }
}
