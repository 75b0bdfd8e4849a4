import { ApiError } from '../../../errors.ts';
import { chat, ignoredByPlan } from '../../../generate/chat.ts';
import type { GenerateContext, GeneratedResponse } from '../../../generate/generated-response.ts';
import { startedGeneration } from '../../../generate/started-generation.ts';
import { idTokenText, plainTokenText } from '../../../http/logprobs.ts';
import type { ResponseKeeper } from '../../../responses/response-keeper.ts';
import type { Signal } from '../../../signal.ts';
import {
  type ConversationItem,
  conversationOf,
  itemOf,
  referencesOf,
  type StoredItem,
  storedInput,
} from './conversation.ts';
import type { InputItem } from './input-items.ts';
import { newResponseId } from './item-ids.ts';
import { renameError, renameField } from './rename-error.ts';
import type { ResponseOptions } from './response-builder.ts';
import type { ResponsesRequest } from './responses-request.ts';
import { toChat } from './to-chat.ts';
import { type Toolset, toolsetOf } from './toolset.ts';
import { withTruncation } from './truncation.ts';

/** A request for a response, with everything that it refers to. */
export interface ResponseJob {
  readonly request: ResponsesRequest;
  readonly owner: string;
  readonly options: ResponseOptions;
  /** Its own input, as it is stored. */
  readonly input: readonly StoredItem[];
  /** The whole conversation. */
  readonly items: readonly ConversationItem[];
  readonly tools: Toolset;
}

/** Loads the previous responses and the items that a request refers to. */
export async function responseJob(
  body: ResponsesRequest,
  { owner, keeper }: { readonly owner: string; readonly keeper: ResponseKeeper },
): Promise<ResponseJob> {
  const request = keeper.keeps ? body : { ...body, store: false };
  const id = newResponseId();
  const references = await referencedItems(request, { owner, keeper });
  const input = storedInput(request, { id, references });
  const previous = request.previous_response_id;
  const earlier = previous ? await keeper.conversation(owner, previous) : [];
  const items = conversationOf(request, { earlier, own: input });
  const tools = toolsetOf(request, items);
  return {
    request,
    owner,
    input,
    items,
    tools,
    options: {
      head: { id, created: now(), request },
      tools,
      tokenText: request.return_tokens_as_token_ids ? idTokenText : plainTokenText,
      now,
    },
  };
}

/** Maximum number of item references per request. */
const mostReferences = 1000;

/** The stored items that a request refers to. Each response is read once. */
async function referencedItems(
  request: ResponsesRequest,
  { owner, keeper }: { readonly owner: string; readonly keeper: ResponseKeeper },
): Promise<Map<string, InputItem>> {
  const references = referencesOf(request);
  if (references.length > mostReferences)
    throw new ApiError(
      'invalid_request',
      `input: must have at most ${mostReferences} item references, not ${references.length}.`,
      { param: 'input' },
    );
  const items = new Map<string, InputItem>();
  for (const response of new Set(references.map((reference) => reference.response))) {
    const found = await keeper.peek(owner, response);
    for (const { id } of found ? references : []) {
      const item = found && itemOf(found, id);
      if (item) items.set(id, item);
    }
  }
  return items;
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** A started generation, and the function that renames its errors. */
export interface StartedResponse {
  readonly response: GeneratedResponse;
  readonly rename: (error: ApiError) => ApiError;
}

/** The fields that the response will ignore; none if it will fail, because its error says more. */
export async function expectedIgnored(
  { request, items, tools }: Pick<ResponseJob, 'request' | 'items' | 'tools'>,
  context: Omit<GenerateContext, 'watch'>,
): Promise<readonly string[]> {
  try {
    const { request: translated, origins } = toChat(request, { items, tools });
    return (await ignoredByPlan(translated, context)).map((field) => renameField(field, origins));
  } catch {
    return [];
  }
}

/** Starts the generation. Drops the oldest items of a conversation that is too long, if the request allows it. */
export function startResponse(
  { request, items, tools }: Pick<ResponseJob, 'request' | 'items' | 'tools'>,
  context: GenerateContext,
  signal: Signal,
): Promise<StartedResponse> {
  const mayCut = request.truncation === 'auto';
  const attempt = async (remaining: readonly ConversationItem[]): Promise<StartedResponse> => {
    const { request: translated, origins } = toChat(request, { items: remaining, tools });
    const rename = (error: ApiError): ApiError => renameError(error, origins);
    try {
      const response = await chat(translated, context, signal);
      const ignored = response.ignored.map((field) => renameField(field, origins));
      // Some backends reject a prompt that is too long only with their first response.
      const generation = mayCut ? await startedGeneration(response.generation) : response.generation;
      return { response: { ...response, generation, ignored }, rename };
    } catch (error) {
      throw rename(ApiError.from(error));
    }
  };
  return mayCut ? withTruncation(items, attempt) : attempt(items);
}
