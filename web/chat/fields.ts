/** A numeric field of a request. */
export interface NumberField {
  readonly name: string;
  readonly label: string;
  readonly step: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

export const numberFields: readonly NumberField[] = [
  { name: 'temperature', label: 'Temperature', step: 0.1, minimum: 0, maximum: 2 },
  { name: 'top_p', label: 'Top P', step: 0.05, minimum: 0, maximum: 1 },
  { name: 'max_tokens', label: 'Max tokens', step: 1, minimum: 1 },
  { name: 'seed', label: 'Seed', step: 1 },
  { name: 'presence_penalty', label: 'Presence penalty', step: 0.1, minimum: -2, maximum: 2 },
  { name: 'frequency_penalty', label: 'Frequency penalty', step: 0.1, minimum: -2, maximum: 2 },
];

/** A text field of a request, as typed. */
export interface TextField {
  readonly name: 'stop' | 'tools' | 'extra';
  readonly label: string;
  readonly hint: string;
}

export const textFields: readonly TextField[] = [
  { name: 'stop', label: 'Stop sequences', hint: 'One per line' },
  { name: 'tools', label: 'Tools', hint: 'JSON list of tools in the OpenAI format' },
  { name: 'extra', label: 'Other fields', hint: 'JSON object with more request fields, such as {"top_k": 20}' },
];

/** A field with an invalid value. */
export class FieldError extends Error {}

/** The request fields that were set. Throws a FieldError that names an invalid one. */
export function fieldValues(fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name, label } of numberFields) {
    const text = fields[name]?.trim() ?? '';
    if (text === '') continue;
    const value = Number(text);
    if (!Number.isFinite(value)) throw new FieldError(`${label} must be a number, not ${JSON.stringify(text)}.`);
    values[name] = value;
  }
  const stop = (fields['stop'] ?? '').split('\n').filter((line) => line !== '');
  if (stop.length > 0) values['stop'] = stop;
  const tools = parsed(fields['tools'], 'Tools');
  if (tools !== undefined && !Array.isArray(tools)) throw new FieldError('Tools must be a JSON list.');
  if (tools !== undefined) values['tools'] = tools;
  const extra = parsed(fields['extra'], 'Other fields');
  if (extra !== undefined && (typeof extra !== 'object' || extra === null || Array.isArray(extra)))
    throw new FieldError('Other fields must be a JSON object.');
  return { ...values, ...extra };
}

function parsed(text: string | undefined, label: string): unknown {
  if (text === undefined || text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FieldError(`${label} must be valid JSON (${error instanceof Error ? error.message : ''}).`);
  }
}
