import { type ChatTemplate, defaultTime, inlineLimits, isLarge, refusal, rendering } from './chat-template.ts';
import { promptThread } from './prompt-thread.ts';
import { parseHistory, renderHistory } from './render-history.ts';

/** A Liquid template over the conversation's `items`, for models that have no chat template. */
export function historyTemplate(
  text: string,
  { source = 'the history template', time = defaultTime } = {},
): ChatTemplate {
  parseHistory(text);
  return {
    source,
    text,
    takesImages: false,
    mentions: () => false,
    ...rendering({
      check: ({ tools, continueFinalMessage }) => {
        if (tools) throw refusal('The history template of this model does not support tools.', 'tools');
        if (!continueFinalMessage) return;
        const reason = 'The history template of this model cannot continue the final message.';
        throw refusal(reason, 'continue_final_message');
      },
      isLarge: ({ messages }) => isLarge(messages),
      inline: ({ messages }) => renderHistory(text, messages, inlineLimits.time),
      inThread: ({ messages }) => promptThread.ask<'history'>({ kind: 'history', source: text, messages, time }),
    }),
  };
}
