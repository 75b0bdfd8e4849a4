import type { GenerateRequest } from '../../contracts/contract.ts';
import { factsIn } from '../../contracts/vllm-facts.ts';
import { cleanText } from '../../generate/generation-errors.ts';
import { untilEnd } from '../../kserve/awaited-responses.ts';
import type { InferRequest } from '../../kserve/server.ts';
import { StatusError } from '../../kserve/status.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import type { NamedModel } from '../../models/served-model.ts';

/** What a model can do: yes, no, or why that is unknown. */
export interface ProbedFacts {
  readonly text: string;
  readonly embeddings: string;
  readonly images: string;
  /** Tokens of context, where they are known. */
  readonly context: number | null;
}

const longestRequest = 60_000;

/** A few pixels: a model that takes images accepts it, any other rejects it without reading it. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAHElEQVR42mM8IWfDwMDAwMDAxMDAYGFzmIGBAQAatAJdp/o5sAAAAABJRU5ErkJggg==';

/**
 * Finds out what a vLLM model can do. Its tensors do not show that: they are the same for every model of the backend. Each
 * request is rejected at once or ends after one token. The registry learns from the errors. Undefined for other models.
 */
export async function probeFacts(name: string, registry: ModelRegistry): Promise<ProbedFacts | undefined> {
  const { config } = registry.find(name);
  if (config?.backend !== 'vllm') return undefined;
  // Each looks the model up again: the request before may have changed it.
  const text = await ability(registry.find(name), textRequest);
  const embeddings = await ability(registry.find(name), embeddingRequest);
  const images = await ability(registry.find(name), imageRequest);
  return { text, embeddings, images, context: registry.find(name).contextLength() ?? null };
}

/** Makes the request that finds out; undefined where the model is known to reject it. */
type RequestMaker = (model: NamedModel) => InferRequest | undefined;

async function ability(model: NamedModel, makeRequest: RequestMaker): Promise<string> {
  const request = makeRequest(model);
  const [server] = model.group.servers;
  if (!request || !server) return 'no';
  try {
    await untilEnd((sink) => server.stream(request, sink, { timeout: longestRequest }));
    return 'yes';
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    model.learn?.(server, error);
    if (factsIn(error.message)) return 'no';
    return `unknown: ${cleanText(error.message) || 'the backend failed'}`;
  }
}

const textRequest: RequestMaker = (model) => model.contract?.encode(oneToken(model));

const embeddingRequest: RequestMaker = ({ rows, model, version }) =>
  rows.embedding?.encode({ id: 'conch-probe', model, version, rows: [{ texts: ['.'] }] });

const imageRequest: RequestMaker = (model) => {
  const { contract } = model;
  if (contract?.images.kind !== 'taken') return undefined;
  const images = [{ type: 'image/png', bytes: Buffer.from(pixel, 'base64') }];
  return contract.encode({ ...oneToken(model), images });
};

function oneToken({ model, version }: NamedModel): GenerateRequest {
  return { id: 'conch-probe', model, version, prompt: '.', sampling: { maxTokens: 1 }, stream: false };
}
