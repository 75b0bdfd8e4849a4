import { isJsonObject, type JsonObject, parseJsonObject } from './json-object.ts';
import { readBounded, type UnreadReason } from './read-bounded.ts';

/** The file of a version's folder in which the vLLM backend finds the arguments of its engine. */
export const argumentsFile = 'model.json';

/** Far more than engine arguments ever take. */
const mostBytes = 2 ** 20;

/** Why engine arguments were not read. */
export type UnreadArguments = UnreadReason | 'not JSON';

export type ReadArguments = { readonly engine: JsonObject } | { readonly unread: UnreadArguments };

/** Reads the engine arguments of a vLLM model. Never throws: what is wrong with the file is the result. */
export async function readVllmArguments(file: string): Promise<ReadArguments> {
  const read = await readBounded(file, mostBytes);
  if ('unread' in read) return read;
  const engine = parseJsonObject(read.text);
  return engine ? { engine } : { unread: 'not JSON' };
}

/**
 * The engine argument that keeps a request from crashing the engine: with "auto", vLLM checks a guide with one library
 * and compiles it with another.
 */
export const structuredOutputs = {
  name: 'structured_outputs_config',
  /** What releases before 25.11 call it. */
  olderName: 'guided_decoding_backend',
  value: { backend: 'xgrammar', disable_any_whitespace: true },
} as const;

/** The parameter of config.pbtxt that makes Triton check the engine, too, when it reports whether a model is ready. */
export const healthCheck = { name: 'ENABLE_VLLM_HEALTH_CHECK', value: 'true' } as const;

/** Whether engine arguments name the library that guides are compiled with. */
export function namesGuideLibrary(engine: JsonObject): boolean {
  const written = engine[structuredOutputs.name];
  const config = typeof written === 'string' ? parseJsonObject(written) : written;
  const library = isJsonObject(config) ? config['backend'] : engine[structuredOutputs.olderName];
  return typeof library === 'string' && library !== '' && !/^auto\b/.test(library);
}

/** Whether the health check of the engine is on. The backend ignores the case of the value. */
export function checksHealth(parameters: Readonly<Record<string, { readonly string_value: string }>>): boolean {
  return parameters[healthCheck.name]?.string_value.toLowerCase() === healthCheck.value;
}

/** What to write into model.json, and why. */
export const guideLibraryAdvice =
  `${structuredOutputs.name} is missing, so one structured-output request can crash the engine: add ` +
  `"${structuredOutputs.name}": ${JSON.stringify(structuredOutputs.value)} to ${argumentsFile}.`;

/** What to write into config.pbtxt, and why. */
export const healthCheckAdvice =
  `${healthCheck.name} is missing, so Triton reports the model as ready after its engine has failed: add ` +
  `parameters { key: "${healthCheck.name}" value { string_value: "${healthCheck.value}" } } to config.pbtxt.`;
