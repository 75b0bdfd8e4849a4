import { type ChatTemplate, defaultTime, inlineLimits, isLarge, refusal, rendered } from './chat-template.ts';
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
    render: ({ messages, tools, continueFinalMessage }) => {
      if (tools) return Promise.reject(refusal('The history template of this model takes no tools.', 'tools'));
      if (continueFinalMessage) {
        const reason = 'The history template of this model cannot continue the final message.';
        return Promise.reject(refusal(reason, 'continue_final_message'));
      }
      return rendered({
        large: isLarge(messages),
        inline: () => renderHistory(text, messages, inlineLimits.time),
        inThread: () => promptThread.ask<'history'>({ kind: 'history', source: text, messages, time }),
      });
    },
  };
}
