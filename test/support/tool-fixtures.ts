import { deepseekV3, deepseekV31 } from '../../src/output/tools/deepseek.ts';
import { glm45 } from '../../src/output/tools/glm45.ts';
import { gptOss } from '../../src/output/tools/gpt-oss.ts';
import { granite } from '../../src/output/tools/granite.ts';
import { hermes } from '../../src/output/tools/hermes.ts';
import { kimiK2 } from '../../src/output/tools/kimi-k2.ts';
import { llama3Json } from '../../src/output/tools/llama3-json.ts';
import { minimaxM2 } from '../../src/output/tools/minimax-m2.ts';
import { mistral } from '../../src/output/tools/mistral.ts';
import { phi4Mini } from '../../src/output/tools/phi4-mini.ts';
import { llama4Pythonic, pythonic } from '../../src/output/tools/pythonic.ts';
import { qwen3Coder } from '../../src/output/tools/qwen3-coder.ts';
import type { ToolFormat } from '../../src/output/tools/tool-parser.ts';

/** A call as a test means it. */
export interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** How a format writes calls; a format with several ways to write has a fixture for each. */
export interface FormatFixture {
  readonly format: ToolFormat;
  readonly way?: string;
  /** Where the way of writing was read: a template that was rendered or its prompt, a description, or a parser. */
  readonly source: string;
  readonly write: (calls: readonly Call[]) => string;
  /** The JSON text that the arguments arrive as. */
  readonly json: (values: Call['arguments']) => string;
  /** Something that begins like a call of get_weather and is none. */
  readonly malformed: string;
  /** The id that the model gives. */
  readonly id?: (call: Call, index: number) => string;
}

const plain = JSON.stringify;
const object = (key: 'arguments' | 'parameters') => (call: Call) =>
  `{"name": ${plain(call.name)}, "${key}": ${plain(call.arguments)}}`;
const typedObject = (call: Call) =>
  `{\n    "type": "function",\n    "name": ${plain(call.name)},\n    "parameters": ${plain(call.arguments)}\n}`;
const list = (calls: readonly Call[]) => `[${calls.map(object('arguments')).join(', ')}]`;
const each = (write: (call: Call, index: number) => string, separator: string) => (calls: readonly Call[]) =>
  calls.map(write).join(separator);

/** An object whose members are written by us, with their values as the model wrote them. */
const built = (values: Call['arguments']) =>
  `{${Object.entries(values)
    .map(([key, value]) => `${plain(key)}: ${plain(value)}`)
    .join(', ')}}`;

/** A value as Python's repr writes it. */
function python(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string')
    return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value !== 'object') return plain(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${python(key)}: ${python(item)}`)
    .join(', ')}}`;
}

/** JSON with a space behind each comma and colon, at every depth. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return plain(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${plain(key)}: ${spaced(item)}`)
    .join(', ')}}`;
}

const pythonCalls = (calls: readonly Call[]) =>
  `[${calls
    .map(
      (call) =>
        `${call.name}(${Object.entries(call.arguments)
          .map(([key, value]) => `${key}=${python(value)}`)
          .join(', ')})`,
    )
    .join(', ')}]`;

/** A value between tags: bare where it is a string. */
const bare = (value: unknown) => (typeof value === 'string' ? value : plain(value));
const members = (call: Call, write: (key: string, value: unknown) => string) =>
  Object.entries(call.arguments)
    .map(([key, value]) => write(key, value))
    .join('');

const qwenFunction = (call: Call) =>
  `<function=${call.name}>\n${members(call, (key, value) => `<parameter=${key}>\n${qwenValue(value)}\n</parameter>\n`)}</function>`;
/** Qwen's template writes booleans and null as Python does. */
const qwenValue = (value: unknown) => (typeof value === 'boolean' || value === null ? python(value) : bare(value));

export const fixtures: readonly FormatFixture[] = [
  {
    format: llama3Json,
    source: "chat template of Llama 3.2 in the tokenizer cache; the separator from vLLM's parser, llama_tool_parser.py",
    write: each(object('parameters'), '; '),
    json: plain,
    malformed: '{"name": "get_weather", "parameters": oops}',
  },
  {
    format: llama3Json,
    way: 'behind the tag',
    source: "Meta's prompt format of Llama 3.3, which has a type before the name; the separator from vLLM's parser",
    write: (calls) => `<|python_tag|>${each(typedObject, '; ')(calls)}`,
    json: plain,
    malformed: '<|python_tag|>print("get_weather")',
  },
  {
    format: llama3Json,
    way: 'as a list',
    source: 'the same objects in brackets, which models write for several calls',
    write: (calls) => `[${calls.map(object('parameters')).join(', ')}]`,
    json: plain,
    malformed: '[{"name": "get_weather", "parameters": oops}]',
  },
  {
    format: pythonic,
    source: "Meta's prompt format of Llama 3.3; vLLM's template tool_chat_template_llama3.2_pythonic.jinja asks for it",
    write: pythonCalls,
    json: spaced,
    malformed: "[get_weather('Paris')]",
  },
  {
    format: llama4Pythonic,
    source: "Meta's prompt format of Llama 4",
    write: pythonCalls,
    json: spaced,
    malformed: '[get_weather(Paris)]',
  },
  {
    format: llama4Pythonic,
    way: 'between its tokens',
    source:
      "vLLM's parser llama4_pythonic_tool_parser.py, which takes the two tokens off; Llama 4's own template writes them",
    write: (calls) => `<|python_start|>${pythonCalls(calls)}<|python_end|>`,
    json: spaced,
    malformed: '<|python_start|>get_weather(city="Paris")<|python_end|>',
  },
  {
    format: mistral,
    source: 'chat template of Mistral Nemo in the tokenizer cache',
    write: (calls) =>
      `[TOOL_CALLS][${calls.map((call) => `${object('arguments')(call).slice(0, -1)}, "id": "abcdefgh1"}`).join(', ')}]`,
    json: plain,
    malformed: '[TOOL_CALLS][{"name": "get_weather", "arguments": oops}]',
  },
  {
    format: mistral,
    way: 'with names',
    source:
      "tokenizer v13 of mistral-common; llama.cpp's copy of the template, unsloth-mistral-Devstral-Small-2507.jinja",
    write: each((call) => `[TOOL_CALLS]${call.name}[ARGS]${plain(call.arguments)}`, ''),
    json: plain,
    malformed: '[TOOL_CALLS]get_weather[ARGS]oops',
  },
  {
    format: mistral,
    way: 'with names and ids',
    source:
      "tokenizer v11 of mistral-common; llama.cpp's copy of the template, Mistral-Small-3.2-24B-Instruct-2506.jinja",
    write: each((call, index) => `[TOOL_CALLS]${call.name}[CALL_ID]abcdefgh${index}[ARGS]${plain(call.arguments)}`, ''),
    json: plain,
    malformed: '[TOOL_CALLS]get_weather[CALL_ID]abcdefgh0{}',
    id: (_, index) => `abcdefgh${index}`,
  },
  {
    format: hermes,
    source: 'chat template of Qwen 3 in the tokenizer cache',
    write: each((call) => `<tool_call>\n${object('arguments')(call)}\n</tool_call>`, '\n'),
    json: plain,
    malformed: '<tool_call>\n{"name": "get_weather", "arguments": oops}\n</tool_call>',
  },
  {
    format: qwen3Coder,
    source: 'chat template of Qwen3-Coder in @huggingface/ollama-utils',
    write: each((call) => `<tool_call>\n${qwenFunction(call)}\n</tool_call>`, '\n'),
    json: built,
    malformed: '<tool_call>\n<function=get_weather>\noops\n</function>\n</tool_call>',
  },
  {
    format: qwen3Coder,
    way: 'without its frame',
    source: 'the same, with the outer tags forgotten',
    write: each(qwenFunction, '\n'),
    json: built,
    malformed: '<function=get_weather>{"city": "Paris"}</function>',
  },
  {
    format: deepseekV3,
    source: 'chat template of DeepSeek V3 in the tokenizer cache',
    write: (calls) =>
      `<｜tool▁calls▁begin｜>${each((call) => `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${call.name}\n\`\`\`json\n${plain(call.arguments)}\n\`\`\`<｜tool▁call▁end｜>`, '\n')(calls)}<｜tool▁calls▁end｜>`,
    json: plain,
    malformed:
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\noops\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  },
  {
    format: deepseekV31,
    source: 'chat template of DeepSeek V3.1 in @huggingface/ollama-utils',
    write: (calls) =>
      `<｜tool▁calls▁begin｜>${each((call) => `<｜tool▁call▁begin｜>${call.name}<｜tool▁sep｜>${plain(call.arguments)}<｜tool▁call▁end｜>`, '')(calls)}<｜tool▁calls▁end｜>`,
    json: plain,
    malformed:
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>oops<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  },
  {
    format: granite,
    way: '3.0',
    source: "vLLM's template tool_chat_template_granite.jinja; the prompts of Granite's templates up to 3.3 ask for it",
    write: (calls) => `<|tool_call|>${list(calls)}`,
    json: plain,
    malformed: '<|tool_call|>[{"name": "get_weather", "arguments": oops}]',
  },
  {
    format: granite,
    way: '3.1',
    source: "vLLM's parser granite_tool_parser.py, which says that 3.1 writes this text instead of the token",
    write: (calls) => `<tool_call>${list(calls)}`,
    json: plain,
    malformed: '<tool_call>[get_weather]',
  },
  {
    format: granite,
    way: '4',
    source: 'chat template of Granite 4 in @huggingface/ollama-utils',
    write: each((call) => `<tool_call>\n${object('arguments')(call)}\n</tool_call>`, '\n'),
    json: plain,
    malformed: '<tool_call>\n{"name": "get_weather" "arguments": {}}\n</tool_call>',
  },
  {
    format: phi4Mini,
    source: "the prompt of vLLM's template tool_chat_template_phi4_mini.jinja",
    write: (calls) => `functools${list(calls)}`,
    json: plain,
    malformed: 'functools[{"name": "get_weather", "arguments": oops}]',
  },
  {
    format: glm45,
    source: 'chat template of GLM 4.5 in the package trl',
    write: each(
      (call) =>
        `<tool_call>${call.name}\n${members(call, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${bare(value)}</arg_value>\n`)}</tool_call>`,
      '\n',
    ),
    json: built,
    malformed: '<tool_call>get_weather\ncity: Paris\n</tool_call>',
  },
  {
    format: glm45,
    way: '4.7',
    source: "llama.cpp's copy of the template, GLM-4.7-Flash.jinja",
    write: each(
      (call) =>
        `<tool_call>${call.name}${members(call, (key, value) => `<arg_key>${key}</arg_key><arg_value>${bare(value)}</arg_value>`)}</tool_call>`,
      '',
    ),
    json: built,
    malformed: '<tool_call>get_weather<arg_key>city</arg_key>Paris</tool_call>',
  },
  {
    format: kimiK2,
    source: "llama.cpp's copy of the template, moonshotai-Kimi-K2.jinja",
    write: (calls) =>
      `<|tool_calls_section_begin|>${each((call, index) => `<|tool_call_begin|>functions.${call.name}:${index}<|tool_call_argument_begin|>${plain(call.arguments)}<|tool_call_end|>`, '')(calls)}<|tool_calls_section_end|>`,
    json: plain,
    malformed:
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>oops<|tool_call_end|><|tool_calls_section_end|>',
    id: (call, index) => `functions.${call.name}:${index}`,
  },
  {
    format: gptOss,
    source: "OpenAI's description of the harmony format",
    write: each(
      (call) =>
        `<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${plain(call.arguments)}<|call|>`,
      '<|start|>assistant',
    ),
    json: plain,
    malformed: '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>oops<|call|>',
  },
  {
    format: gptOss,
    way: 'recipient in the role',
    source: 'chat template of gpt-oss in the package trl',
    write: each(
      (call) =>
        `<|start|>assistant to=functions.${call.name}<|channel|>commentary json<|message|>${plain(call.arguments)}<|call|>`,
      '\n',
    ),
    json: plain,
    malformed: '<|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>oops<|call|>',
  },
  {
    format: minimaxM2,
    source: "llama.cpp's copy of the template, MiniMax-M2.jinja",
    write: (calls) =>
      `<minimax:tool_call>\n${each((call) => `<invoke name="${call.name}">\n${members(call, (key, value) => `<parameter name="${key}">${bare(value)}</parameter>\n`)}</invoke>\n`, '')(calls)}</minimax:tool_call>`,
    json: built,
    malformed: '<minimax:tool_call>\n<invoke name="get_weather">\noops\n</invoke>\n</minimax:tool_call>',
  },
];
