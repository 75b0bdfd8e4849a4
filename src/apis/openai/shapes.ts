import type { TokenLogprob } from '../../contracts/contract.ts';
import { CompletionLogprobsBuilder, chatLogprobs, type TokenText } from '../../http/logprobs.ts';

/** Converts the logprobs of one choice to the member `logprobs`. */
type LogprobsShaper = (tokens: readonly TokenLogprob[]) => object;

/** The complete content of a choice. */
export interface ChoiceContent {
  readonly text: string;
  readonly reasoning: string | undefined;
  readonly calls: readonly object[];
}

/** The response format of one API: everything in which chat and completions differ. */
export interface ApiShape {
  readonly chunkObject: string;
  readonly responseObject: string;
  /** The members of the first chunk of a choice, which has no text; undefined: there is no first chunk without text. */
  readonly opening: object | undefined;
  /** The members of the last chunk of a choice, beside `finish_reason`. */
  readonly closing: object;
  /** Whether each choice has the tokens of its prompt; if not, the response has them. */
  readonly hasPromptPerChoice: boolean;
  delta(text: string): object;
  reasoningDelta(text: string): object;
  callDelta(call: object): object;
  whole(content: ChoiceContent): object;
  logprobs(tokenText: TokenText): LogprobsShaper;
}

export const chatShape: ApiShape = {
  chunkObject: 'chat.completion.chunk',
  responseObject: 'chat.completion',
  opening: { delta: { role: 'assistant', content: '', refusal: null } },
  closing: { delta: {} },
  hasPromptPerChoice: false,
  delta: (text) => ({ delta: { content: text } }),
  // Clients of DeepSeek's API and of older vLLM read the first name, newer ones the second.
  reasoningDelta: (text) => ({ delta: { reasoning_content: text, reasoning: text } }),
  callDelta: (call) => ({ delta: { tool_calls: [call] } }),
  whole: ({ text, reasoning, calls }) => ({
    message: {
      role: 'assistant',
      content: calls.length > 0 && text === '' ? null : text,
      refusal: null,
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning, reasoning }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
  }),
  logprobs: (tokenText) => (tokens) => chatLogprobs(tokens, tokenText),
};

export const completionShape: ApiShape = {
  chunkObject: 'text_completion',
  responseObject: 'text_completion',
  opening: undefined,
  closing: { text: '' },
  hasPromptPerChoice: true,
  delta: (text) => ({ text }),
  // Completions have neither reasoning nor tool calls: their text is not parsed.
  reasoningDelta: (text) => ({ text }),
  callDelta: () => ({ text: '' }),
  whole: ({ text }) => ({ text }),
  logprobs: (tokenText) => {
    const builder = new CompletionLogprobsBuilder(tokenText);
    return (tokens) => builder.build(tokens);
  },
};
