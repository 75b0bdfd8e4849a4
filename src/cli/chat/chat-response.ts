import { errorText } from '../../bench/load/response.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../json-object.ts';

/** A call of a function, as OpenAI's API has it. */
export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A piece of a response: of its text or reasoning, the name of a function, or of its arguments. */
export interface ResponsePart {
  readonly kind: 'text' | 'reasoning' | 'call' | 'arguments';
  readonly text: string;
}

/** Token counts of the server. */
export interface Usage {
  readonly prompt: number;
  readonly completion: number;
}

/** One response of a chat, collected from its events. */
export class ChatResponse {
  text = '';
  usage: Usage | undefined;
  finishReason: string | undefined;
  /** The error that the server sent in the middle of the response. */
  error: string | undefined;
  readonly #calls: { id: string; name: string; arguments: string }[] = [];

  get calls(): readonly ToolCall[] {
    return this.#calls.map(({ id, name, arguments: callArguments }) => ({
      id,
      type: 'function',
      function: { name, arguments: callArguments },
    }));
  }

  /** Takes the data of one event, or a whole response; returns the new parts. */
  take(data: string): readonly ResponsePart[] {
    if (data === '[DONE]') return [];
    const json = parseJsonObject(data);
    if (json === undefined) {
      this.error ??= 'The server sent an event that is not JSON.';
      return [];
    }
    if (isJsonObject(json['error'])) this.error ??= errorText(json['error']);
    this.#takeUsage(json['usage']);
    const [choice] = Array.isArray(json['choices']) ? (json['choices'] as unknown[]) : [];
    return isJsonObject(choice) ? this.#takeChoice(choice) : [];
  }

  #takeUsage(usage: unknown): void {
    if (!isJsonObject(usage)) return;
    const { prompt_tokens: prompt, completion_tokens: completion } = usage;
    if (typeof prompt === 'number' && typeof completion === 'number') this.usage = { prompt, completion };
  }

  #takeChoice(choice: JsonObject): readonly ResponsePart[] {
    if (typeof choice['finish_reason'] === 'string') this.finishReason = choice['finish_reason'];
    const message = choice['delta'] ?? choice['message'];
    if (!isJsonObject(message)) return [];
    const reasoning = textIn(message['reasoning_content'] ?? message['reasoning']);
    const text = textIn(message['content']) + textIn(message['refusal']);
    this.text += text;
    const parts: ResponsePart[] = [];
    if (reasoning !== '') parts.push({ kind: 'reasoning', text: reasoning });
    if (text !== '') parts.push({ kind: 'text', text });
    const calls: unknown[] = Array.isArray(message['tool_calls']) ? message['tool_calls'] : [];
    for (const [at, call] of calls.entries()) if (isJsonObject(call)) parts.push(...this.#takeCall(call, at));
    return parts;
  }

  #takeCall(piece: JsonObject, at: number): readonly ResponsePart[] {
    const index = typeof piece['index'] === 'number' ? piece['index'] : at;
    const call = (this.#calls[index] ??= { id: '', name: '', arguments: '' });
    const named = isJsonObject(piece['function']) ? piece['function'] : {};
    const [name, callArguments] = [textIn(named['name']), textIn(named['arguments'])];
    call.id ||= textIn(piece['id']);
    call.name += name;
    call.arguments += callArguments;
    return [
      ...(name === '' ? [] : [{ kind: 'call', text: name } as const]),
      ...(callArguments === '' ? [] : [{ kind: 'arguments', text: callArguments } as const]),
    ];
  }
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
