import type { Structure } from '../contracts/contract.ts';
import { isJsonObject } from '../json-object.ts';
import { patternOf, type Verdict, validate } from '../json-schema/validate.ts';
import { runTasks } from '../worker-program.ts';

// The thread that checks texts against structures from clients, whose patterns may run forever.

/** The structures that are checked in the thread. */
export type WorkerStructure = Extract<Structure, { json: unknown } | { json_object: true } | { regex: string }>;

/** A whole text to check. */
export interface CheckTask {
  readonly kind: 'check';
  readonly structure: WorkerStructure;
  readonly text: string;
}

function check({ structure, text }: CheckTask): Verdict {
  if ('regex' in structure) {
    const matches = patternOf(`^(?:${structure.regex})$`).test(text);
    return matches ? { kind: 'valid' } : { kind: 'invalid', message: 'it does not match the regular expression' };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'invalid', message: 'it is not JSON' };
  }
  if ('json' in structure) return validate(structure.json, value);
  return isJsonObject(value) ? { kind: 'valid' } : { kind: 'invalid', message: 'it is not a JSON object' };
}

runTasks(check);
