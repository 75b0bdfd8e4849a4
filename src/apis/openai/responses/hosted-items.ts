import { z } from 'zod';
import { isJsonObject } from '../../../json-object.ts';
import type { IgnoredPart } from '../../../requests/ignored-fields.ts';

/** An item of a tool that another server ran, in a conversation that began there. */
export const hostedItem = z.looseObject({ type: z.string().brand<'hosted'>(), id: z.string().min(1).nullish() });

export type HostedItem = z.output<typeof hostedItem>;

/** The types of these items. The names of newer ones end the same way. */
const hostedType =
  /^(?:(?!(?:function|custom_tool)_call)[a-z]\w*_call(?:_output)?|mcp_(?:list_tools|approval_request|approval_response))$/;

/** Whether a value of a request, or a stored one, is an item of a tool that another server ran. */
export function isHosted(item: { readonly type?: unknown }): item is HostedItem {
  return typeof item.type === 'string' && hostedType.test(item.type);
}

/** A call and its result, as the model sees those of functions. */
type PlainItem = PlainCall | { type: 'function_call_output'; call_id: string; output: string };

type PlainCall = {
  type: 'function_call';
  call_id: string;
  name: string;
  namespace?: string | undefined;
  arguments: string;
};

/** What the model sees of an item, and the parts that it does not see. */
interface Reading {
  readonly items: readonly PlainItem[];
  /** The paths below the item; empty: the whole item. */
  readonly ignored: readonly IgnoredPart[];
}

type Fields = Readonly<Record<string, unknown>>;
type Read = (fields: Fields) => Reading | undefined;

/**
 * Reads an item as the call of a function, its result, or both. An item without a text for the model is ignored, and so
 * is one of an unknown shape.
 */
export function readHosted(item: HostedItem): Reading {
  const read = Object.hasOwn(readers, item.type) ? readers[item.type] : undefined;
  const reason = `items of type ${JSON.stringify(item.type)} have no text for the model`;
  return read?.(item) ?? { items: [], ignored: [{ path: '', reason }] };
}

const readers: Readonly<Record<string, Read>> = {
  mcp_call: ({ id, name, server_label: server, arguments: json, output, error }) => {
    const result = output ?? error;
    if (!isText(id) || !isText(name) || typeof json !== 'string' || (result ?? undefined) === undefined)
      return undefined;
    const call = { call_id: id, name, namespace: isText(server) ? server : undefined, arguments: json };
    return called(call, typeof result === 'string' ? result : JSON.stringify(result));
  },
  code_interpreter_call: ({ id, code, outputs }) => {
    if (!isText(id) || typeof code !== 'string' || !Array.isArray(outputs)) return undefined;
    const logs = outputs.map((output: unknown) => (isJsonObject(output) ? output['logs'] : undefined));
    const texts = logs.filter((text) => typeof text === 'string');
    if (texts.length === 0) return undefined;
    const reason = 'only the logs of the code are sent to the model';
    const others = logs.flatMap((text, at) => (typeof text === 'string' ? [] : [{ path: `.outputs[${at}]`, reason }]));
    const call = { call_id: id, name: 'code_interpreter', arguments: JSON.stringify({ code }) };
    return { ...called(call, texts.join('\n')), ignored: others };
  },
  file_search_call: ({ id, queries, results }) => {
    if (!isText(id) || !Array.isArray(results) || results.length === 0) return undefined;
    const found = results.map((result: unknown) => {
      const { filename, text } = isJsonObject(result) ? result : {};
      return { filename, text };
    });
    if (found.some(({ text }) => typeof text !== 'string')) return undefined;
    const call = { call_id: id, name: 'file_search', arguments: JSON.stringify({ queries }) };
    return called(call, JSON.stringify(found));
  },
  local_shell_call: (fields) => openCall('local_shell', fields, fields['action']),
  local_shell_call_output: (fields) => resultOf(fields, fields['output']),
  shell_call: (fields) => openCall('shell', fields, fields['action']),
  shell_call_output: (fields) => resultOf(fields, fields['output']),
  apply_patch_call: (fields) => openCall('apply_patch', fields, fields['operation']),
  apply_patch_call_output: (fields) => resultOf(fields, fields['output'] ?? fields['status']),
};

/** An item that has the result of its call too. */
function called(call: Omit<PlainCall, 'type'>, output: string): Reading {
  const result = { type: 'function_call_output', call_id: call.call_id, output } as const;
  return { items: [{ type: 'function_call', ...call }, result], ignored: [] };
}

/** A call whose result is an item of its own. */
function openCall(name: string, fields: Fields, action: unknown): Reading | undefined {
  const id = callIdOf(fields);
  if (id === undefined || !isJsonObject(action)) return undefined;
  const call = { type: 'function_call', call_id: id, name, arguments: JSON.stringify(action) } as const;
  return { items: [call], ignored: [] };
}

function resultOf(fields: Fields, output: unknown): Reading | undefined {
  const id = callIdOf(fields);
  if (id === undefined || (output ?? undefined) === undefined) return undefined;
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  return { items: [{ type: 'function_call_output', call_id: id, output: text }], ignored: [] };
}

/** Some results have the id of their call as their own. */
function callIdOf({ call_id: callId, id }: Fields): string | undefined {
  return [callId, id].find(isText);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
