import { createHash } from 'node:crypto';
import { abilities } from '../../models/abilities.ts';

type Capabilities = Readonly<Record<string, boolean>>;

/** The version of Ollama whose API this is; clients look at it to know what they may send. */
export const ollamaVersion = '0.13.0';

/** What is known of a model, loaded or not. */
export interface ModelFacts {
  readonly name: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** Changes when what answers changes; undefined while it is not loaded. */
  readonly fingerprint?: string | undefined;
  /** The model that an adapter stands behind. */
  readonly parent?: string | undefined;
  /** How the model is spoken to. */
  readonly kind?: string | undefined;
  /** Prompt and answer together. */
  readonly contextLength?: number | undefined;
}

/** The tag that Ollama gives to a name that has none. */
const usualTag = ':latest';

/** A name as Ollama lists it, always with a tag: clients look their own, completed names up in the list. */
export function taggedName(name: string): string {
  return name.includes(':') ? name : name + usualTag;
}

/** The name that a client means, where nothing is served under the very name that it sent. */
export function untaggedName(name: string): string {
  return name.endsWith(usualTag) ? name.slice(0, -usualTag.length) : name;
}

/** A model in the answer of GET /api/tags. Nobody here knows the size of its files. */
export function listEntry(facts: ModelFacts) {
  const name = taggedName(facts.name);
  return {
    name,
    model: name,
    modified_at: timeOf(facts),
    size: 0,
    digest: createHash('sha256')
      .update(`${facts.name}\0${facts.fingerprint ?? ''}`)
      .digest('hex'),
    details: detailsOf(facts),
  };
}

/** A model in the answer of GET /api/ps. */
export function runningEntry(facts: ModelFacts) {
  const { modified_at: _, ...entry } = listEntry(facts);
  return { ...entry, expires_at: never, size_vram: 0, context_length: facts.contextLength ?? 0 };
}

/** Models stay until somebody unloads them. */
const never = '2999-12-31T23:59:59Z';

/** The answer of POST /api/show. */
export function shownModel(
  facts: ModelFacts,
  { template = '', capabilities }: { readonly template?: string | undefined; readonly capabilities: Capabilities },
) {
  return {
    modelfile: '',
    parameters: '',
    template,
    details: detailsOf(facts),
    model_info: {
      'general.architecture': architecture,
      'general.basename': facts.name,
      ...(facts.contextLength === undefined ? {} : { [`${architecture}.context_length`]: facts.contextLength }),
    },
    capabilities: ollamaNames(capabilities),
    modified_at: timeOf(facts),
  };
}

/** Servers do not tell it; clients need some name to find the context length under. */
const architecture = 'unknown';

/** What a model can do, by the names of GET /v1/models, as far as Ollama has names for it. */
function ollamaNames(capabilities: Capabilities): string[] {
  return abilities.flatMap(({ name, ollamaName }) => (ollamaName && capabilities[name] ? [ollamaName] : []));
}

function timeOf({ created }: ModelFacts): string {
  return new Date(created * 1000).toISOString();
}

function detailsOf({ parent = '', kind = '' }: ModelFacts) {
  return {
    parent_model: parent,
    format: kind,
    family: '',
    families: [],
    parameter_size: '',
    quantization_level: '',
  };
}
