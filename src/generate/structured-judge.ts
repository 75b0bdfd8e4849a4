import type { Structure } from '../contracts/contract.ts';
import { isJsonObject } from '../json-object.ts';
import { patternOf, type Verdict, validate } from '../json-schema/validate.ts';

/** The forms that take more than a glance to judge. */
export type JudgedForm = Extract<Structure, { json: unknown } | { json_object: true } | { regex: string }>;

/** Whether a whole answer has its form. A pattern may take for ever: it is not for the event loop. */
export function judge(form: JudgedForm, text: string): Verdict {
  if ('regex' in form) {
    const matches = patternOf(`^(?:${form.regex})$`).test(text);
    return matches ? { kind: 'valid' } : { kind: 'invalid', message: 'it does not match the regular expression' };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'invalid', message: 'it is not JSON' };
  }
  if ('json' in form) return validate(form.json, value);
  return isJsonObject(value) ? { kind: 'valid' } : { kind: 'invalid', message: 'it is not a JSON object' };
}
