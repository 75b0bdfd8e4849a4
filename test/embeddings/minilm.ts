import { readFileSync } from 'node:fs';
import { type Conch, startConch } from '../support/conch.ts';
import { inRoot } from '../support/environment.ts';
import { python } from '../support/python.ts';
import { startTriton, type Triton } from '../support/triton.ts';

/** What sentence-transformers made of some sentences, once. */
interface Reference {
  readonly sentences: readonly string[];
  readonly vectors: readonly (readonly number[])[];
  /** Two sentences each, by their numbers. */
  readonly pairs: readonly (readonly [number, number])[];
  /** The numbers of the pairs, the most alike first. */
  readonly ranking: readonly number[];
}

export const reference = JSON.parse(readFileSync(inRoot('test/embeddings/reference.json'), 'utf8')) as Reference;

/** The models of test/embeddings on a tritonserver of their own, and Conch in front of it. */
export interface Minilm {
  readonly triton: Triton;
  readonly conch: Conch;
  /** The folder of MiniLM's tokenizer. */
  readonly folder: string;
  readonly flags: readonly string[];
  readonly stop: () => Promise<void>;
}

/** Starts the server with these models alone, and Conch with further flags. */
export async function startMinilm(models: readonly string[], ...more: readonly string[]): Promise<Minilm> {
  const { stdout } = await python('test/support/minilm/folder.py');
  const folder = stdout.trim();
  const triton = await startTriton({
    repository: 'test/embeddings/models',
    modelControl: 'explicit',
    loadModels: models,
    // Several models on few cores: threads of their own would be in each other's way.
    environment: { OPENBLAS_NUM_THREADS: '1', TOKENIZERS_PARALLELISM: 'false' },
  });
  const flags = ['--triton', `127.0.0.1:${triton.grpcPort}`, '--tokenizer', folder, ...more];
  const conch = await startConch({ flags });
  const stop = async (): Promise<void> => {
    await conch.stop();
    await triton.stop();
  };
  return { triton, conch, folder, flags, stop };
}

interface Runs {
  readonly runs: number;
  readonly texts: number;
}

/** How often a model ran, and over how many texts, while something was done that gives it so many texts. */
export async function runsDuring(
  triton: Triton,
  { model, texts }: { readonly model: string; readonly texts: number },
  work: () => Promise<unknown>,
): Promise<Runs> {
  const before = await countedRuns(triton, model, 0);
  await work();
  const after = await countedRuns(triton, model, before.texts + texts);
  return { runs: after.runs - before.runs, texts: after.texts - before.texts };
}

/** Triton counts a request only after it has answered: what is to be counted is waited for, and that nothing more comes. */
async function countedRuns(triton: Triton, model: string, texts: number): Promise<Runs> {
  for (let last = await runsOf(triton, model); ; ) {
    const now = await runsOf(triton, model);
    if (now.texts >= texts && now.texts === last.texts && now.runs === last.runs) return now;
    last = now;
  }
}

async function runsOf({ httpPort }: Triton, model: string): Promise<Runs> {
  const response = await fetch(`http://127.0.0.1:${httpPort}/v2/models/${model}/stats`);
  const { model_stats: stats } = (await response.json()) as {
    model_stats: { execution_count: number; inference_count: number }[];
  };
  return { runs: stats[0]?.execution_count ?? 0, texts: stats[0]?.inference_count ?? 0 };
}

/** The largest difference between two vectors, figure by figure. */
export function difference(a: readonly number[], b: readonly number[]): number {
  return a.length === b.length
    ? Math.max(...a.map((figure, at) => Math.abs(figure - (b[at] ?? Number.NaN))))
    : Infinity;
}

export const cosine = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, figure, at) => sum + figure * (b[at] ?? Number.NaN), 0) / (Math.hypot(...a) * Math.hypot(...b));
