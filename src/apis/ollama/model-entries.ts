import { createHash } from 'node:crypto';
import { abilities } from '../../models/abilities.ts';
import { taggedName } from '../../models/tagged-names.ts';

type Capabilities = Readonly<Record<string, boolean>>;

/** The version of Ollama whose API Conch implements. Clients check it for supported fields. */
export const ollamaVersion = '0.13.4';

/** Facts about a model, loaded or not. */
export interface ModelFacts {
  readonly name: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** Changes when the served model changes; undefined while it is not loaded. */
  readonly fingerprint?: string | undefined;
  /** The base model of an adapter. */
  readonly parent?: string | undefined;
  /** The contract of the model. */
  readonly kind?: string | undefined;
  /** Tokens of prompt and response together. */
  readonly contextLength?: number | undefined;
}

/** A model in the response of GET /api/tags. The size of its files is unknown. */
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

/** A model in the response of GET /api/ps. */
export function runningEntry(facts: ModelFacts) {
  const { modified_at: _, ...entry } = listEntry(facts);
  return { ...entry, expires_at: never, size_vram: 0, context_length: facts.contextLength ?? 0 };
}

/** Models stay loaded until they are unloaded. */
const never = '2999-12-31T23:59:59Z';

/** The response of POST /api/show. */
export function showEntry(
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

/** Servers do not report it, but clients need a name to find the context length. */
const architecture = 'unknown';

/** The capabilities that Ollama has names for, by those names. */
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
