import { parseJson } from '../../kserve/json-parse.ts';
import {
  asBoolean,
  asString,
  asUnsigned,
  binaryOf,
  find,
  type JsonValue,
  memberArray,
  textOf,
} from '../../kserve/json-value.ts';
import type { LogSetting } from '../../kserve/messages.ts';
import { StatusError } from '../../kserve/status.ts';
import { type HttpResponse, jsonResponse, jsonType } from './http-response.ts';
import type { Exchange, Route } from './route.ts';

/** Reads and changes the log and trace settings of the server. */
export const settingRoutes: readonly Route[] = [
  { path: /^\/v2\/logging$/, methods: ['GET', 'POST'], contentType: jsonType, respond: logging },
  { path: /^\/v2\/trace\/setting$/, methods: ['GET', 'POST'], contentType: jsonType, respond: tracing },
  {
    path: /^\/v2\/models\/(?<model>[^/]+)\/trace\/setting$/,
    methods: ['GET', 'POST'],
    contentType: jsonType,
    respond: tracing,
  },
];

async function logging({ server, request, body, signal }: Exchange): Promise<HttpResponse> {
  const settings = request.method === 'POST' ? logSettings(parseJson(body)) : {};
  const { settings: now } = await server.call('LogSettings', { settings }, { signal });
  return jsonResponse({
    log_file: binaryOf(now['log_file']?.string_param ?? ''),
    log_info: now['log_info']?.bool_param ?? false,
    log_warning: now['log_warning']?.bool_param ?? false,
    log_error: now['log_error']?.bool_param ?? false,
    log_verbose_level: now['log_verbose_level']?.uint32_param ?? 0,
    log_format: binaryOf(now['log_format']?.string_param ?? ''),
  });
}

function logSettings(json: JsonValue): Record<string, LogSetting> {
  const settings: Record<string, LogSetting> = {};
  const change = (name: string, read: (value: JsonValue) => LogSetting): void => {
    const value = find(json, name);
    if (value !== undefined && value !== null) settings[name] = read(value);
  };
  change('log_file', (value) => ({ string_param: textOf(asString(value)) }));
  for (const name of ['log_info', 'log_warning', 'log_error'])
    change(name, (value) => ({ bool_param: asBoolean(value) }));
  change('log_verbose_level', (value) => ({ uint32_param: Number(BigInt.asUintN(32, BigInt(asUnsigned(value)))) }));
  change('log_format', (value) => {
    const format = textOf(asString(value));
    if (format !== 'default' && format !== 'ISO8601')
      throw new StatusError('UNAVAILABLE', `invalid argument for --log_format, got: ${format}`);
    return { string_param: format };
  });
  return settings;
}

async function tracing({ server, request, body, names, signal }: Exchange): Promise<HttpResponse> {
  const settings = request.method === 'POST' ? traceSettings(parseJson(body)) : {};
  const { settings: now } = await server.call(
    'TraceSetting',
    { settings, model_name: names['model'] ?? '' },
    { signal },
  );
  const { trace_level: level, ...others } = now;
  const first = (name: string): string => binaryOf(others[name]?.value[0] ?? '');
  const extra = Object.keys(others).filter((name) => !usual.includes(name));
  return jsonResponse({
    trace_level: (level?.value ?? []).map(binaryOf),
    ...Object.fromEntries([...usual, ...extra].map((name) => [name, first(name)])),
  });
}

const usual = ['trace_rate', 'trace_count', 'log_frequency', 'trace_file', 'trace_mode'];

/** Null restores the global setting; the protocol uses an empty list for that. */
function traceSettings(json: JsonValue): Record<string, { value: string[] }> {
  const settings: Record<string, { value: string[] }> = {};
  const level = find(json, 'trace_level');
  if (level === null) settings['trace_level'] = { value: [] };
  else if (level !== undefined)
    settings['trace_level'] = { value: memberArray(json, 'trace_level').map((each) => textOf(asString(each))) };
  for (const name of ['trace_file', 'trace_rate', 'trace_count', 'log_frequency']) {
    const value = find(json, name);
    if (value === null) settings[name] = { value: [] };
    else if (value !== undefined) settings[name] = { value: [textOf(asString(value))] };
  }
  return settings;
}
