/** What a key allows. An undefined limit means no limit. */
export interface KeyFacts {
  /** Its name for people, also in the log. */
  readonly name: string;
  /** Names of models and patterns with *; undefined: all models. */
  readonly models?: readonly string[] | undefined;
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  /** Requests that run at the same time. */
  readonly concurrent?: number | undefined;
  /** When it expires, in milliseconds since 1970. */
  readonly expires?: number | undefined;
  /** Whether its requests may set their priority. */
  readonly mayPrioritize?: boolean | undefined;
  /** Whether it may load and unload models and change settings of the servers although it is limited to specific models. */
  readonly mayManage?: boolean | undefined;
}

/** The sender of a request, as its key identifies it. */
export interface KeyHolder extends KeyFacts {
  /** Identifies the key in counts; the same in all processes. */
  readonly id: string;
  /** Identifies the owner of stored responses. It does not reveal the key. */
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

/** The error for a key that may not manage. */
export const managementRefused =
  'This API key is limited to specific models and cannot load or unload models, or change settings of the servers. ' +
  'Use a key for all models, or one with "manage".';

/** Whether a name has the parts of a pattern in their order; * matches any text. */
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
