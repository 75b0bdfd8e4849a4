import type { TokenUsage } from '../../../contracts/events.ts';
import type { ApiError } from '../../../errors.ts';
import type { OutputItem } from './output-items.ts';
import type { ResponsesRequest } from './responses-request.ts';
import type { CustomTool, FunctionTool, NamespaceTool, RequestTool } from './tool-fields.ts';

/** What is known of a response before generation starts. */
export interface ResponseHead {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly request: ResponsesRequest;
}

/** The state of a response. */
export interface ResponseState {
  readonly status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
  /** Seconds since 1970; only of a completed one. */
  readonly completed?: number | undefined;
  /** Only of a failed one. */
  readonly error?: ApiError | undefined;
  readonly output: readonly OutputItem[];
  readonly usage?: TokenUsage | undefined;
}

/** A response as clients get it, its members in OpenAI's order. */
export function responseObject({ id, created, request }: ResponseHead, state: ResponseState) {
  return {
    id,
    object: 'response' as const,
    created_at: created,
    status: state.status,
    background: request.background ?? false,
    completed_at: state.completed ?? null,
    error: state.error ? errorOf(state.error) : null,
    incomplete_details: state.status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    model: request.model,
    output: state.output,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    prompt_cache_retention: request.prompt_cache_retention ?? null,
    reasoning: {
      effort: request.reasoning?.effort ?? null,
      summary: request.reasoning?.summary ?? request.reasoning?.generate_summary ?? null,
    },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: 'default',
    store: request.store ?? true,
    temperature: request.temperature ?? null,
    text: { format: formatOf(request), verbosity: request.text?.verbosity ?? 'medium' },
    tool_choice: request.tool_choice ?? 'auto',
    tools: (request.tools ?? []).flatMap(toolObject),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? null,
    truncation: request.truncation ?? 'disabled',
    usage: state.usage ? usageOf(state.usage) : null,
    user: request.user ?? null,
    metadata: request.metadata ?? {},
  };
}

export type ResponseObject = ReturnType<typeof responseObject>;

function formatOf({ text }: ResponsesRequest): object {
  const { format } = text ?? {};
  if (format?.type !== 'json_schema') return { type: format?.type ?? 'text' };
  const { name, description, schema, strict } = format;
  return { type: format.type, description: description ?? null, name, schema, strict: strict ?? false };
}

/** A tool that the model gets, with every member that OpenAI's clients expect. */
function toolObject(tool: RequestTool): object[] {
  const { type, name, description = null } = tool as RequestTool & { name?: string; description?: string | null };
  switch (type) {
    case 'function': {
      const { parameters = null, strict = null } = tool as FunctionTool;
      return [{ type, description, name, parameters, strict }];
    }
    case 'custom':
      return [{ type, description, name, format: (tool as CustomTool).format ?? { type: 'text' } }];
    case 'namespace':
      return [{ type, description, name, tools: (tool as NamespaceTool).tools.flatMap(toolObject) }];
    default:
      return [];
  }
}

function usageOf({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: TokenUsage) {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens ?? 0, cache_write_tokens: 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens ?? 0 },
    total_tokens: promptTokens + completionTokens,
  };
}

/** Responses have codes of their own for failures. Agents shorten a conversation that exceeds the context length. */
function errorOf({ code, status, message, param }: ApiError): { code: string; message: string; param?: string | null } {
  if (code === 'rate_limit_exceeded') return { code, message };
  if (code === 'context_length_exceeded') return { code, message, param };
  return { code: status < 500 ? 'invalid_prompt' : 'server_error', message };
}
