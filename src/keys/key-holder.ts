/** What a key says of whoever brings it. Undefined limits: none. */
export interface KeyFacts {
  /** How people know it, in the log too. */
  readonly name: string;
  /** Names of models and patterns with *; undefined: all models. */
  readonly models?: readonly string[] | undefined;
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  /** Requests that run at the same time. */
  readonly concurrent?: number | undefined;
  /** Milliseconds since 1970 from which on it opens nothing. */
  readonly expires?: number | undefined;
  /** Whether its requests may say how urgent they are. */
  readonly mayPrioritize?: boolean | undefined;
  /** Whether it may load and unload models and change settings of the servers although it is for some models alone. */
  readonly mayManage?: boolean | undefined;
}

/** Whoever sends a request, as far as its key tells. */
export interface KeyHolder extends KeyFacts {
  /** Under this its use is counted: the same for the same key, whoever counts. */
  readonly id: string;
  /** Under this its responses are kept. It does not tell the key. */
  readonly owner: string;
}

/** Whether a key may use the model of this name; without a key all models are open. */
export function mayUse(holder: Pick<KeyFacts, 'models'> | undefined, model: string): boolean {
  return holder?.models?.some((pattern) => fits(pattern, model)) ?? true;
}

/** Whether a key may change what all share: the models that are loaded, and the settings of the servers. */
export function mayManage(holder: Pick<KeyFacts, 'models' | 'mayManage'> | undefined): boolean {
  return holder?.models === undefined || holder.mayManage === true;
}

/** What is said to a key that may not. */
export const managementRefused =
  'This key is for some models alone and may not load or unload models, or change settings of the servers: ' +
  'that takes a key for all models, or one with "manage".';

/** Whether a name has the parts of a pattern in their order; * stands for any text. */
function fits(pattern: string, name: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return pattern === name;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
