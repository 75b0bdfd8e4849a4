/** A number that a request may hold. */
export interface NumberField {
  readonly name: string;
  readonly label: string;
  readonly step: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

export const numberFields: readonly NumberField[] = [
  { name: 'temperature', label: 'Temperature', step: 0.1, minimum: 0, maximum: 2 },
  { name: 'top_p', label: 'Top p', step: 0.05, minimum: 0, maximum: 1 },
  { name: 'max_tokens', label: 'Most tokens', step: 1, minimum: 1 },
  { name: 'seed', label: 'Seed', step: 1 },
  { name: 'presence_penalty', label: 'Presence penalty', step: 0.1, minimum: -2, maximum: 2 },
  { name: 'frequency_penalty', label: 'Frequency penalty', step: 0.1, minimum: -2, maximum: 2 },
];

/** A text that a request may hold, as it is typed. */
export interface TextField {
  readonly name: 'stop' | 'tools' | 'extra';
  readonly label: string;
  readonly hint: string;
}

export const textFields: readonly TextField[] = [
  { name: 'stop', label: 'Stop texts', hint: 'One in each line.' },
  { name: 'tools', label: 'Tools', hint: "A JSON list, in OpenAI's form." },
  { name: 'extra', label: 'Other fields', hint: 'A JSON object: whatever else the request shall hold.' },
];

/** A field that cannot be sent as it was typed. */
export class FieldProblem extends Error {}

/** What the fields add to a request. Throws a FieldProblem that names the field. */
export function fieldValues(fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name, label } of numberFields) {
    const text = fields[name]?.trim() ?? '';
    if (text === '') continue;
    const value = Number(text);
    if (!Number.isFinite(value)) throw new FieldProblem(`${label}: ${JSON.stringify(text)} is not a number.`);
    values[name] = value;
  }
  const stop = (fields['stop'] ?? '').split('\n').filter((line) => line !== '');
  if (stop.length > 0) values['stop'] = stop;
  const tools = parsed(fields['tools'], 'Tools');
  if (tools !== undefined && !Array.isArray(tools)) throw new FieldProblem('Tools: must be a JSON list.');
  if (tools !== undefined) values['tools'] = tools;
  const extra = parsed(fields['extra'], 'Other fields');
  if (extra !== undefined && (typeof extra !== 'object' || extra === null || Array.isArray(extra)))
    throw new FieldProblem('Other fields: must be a JSON object.');
  return { ...values, ...extra };
}

function parsed(text: string | undefined, label: string): unknown {
  if (text === undefined || text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FieldProblem(`${label}: is no JSON (${error instanceof Error ? error.message : ''}).`);
  }
}
