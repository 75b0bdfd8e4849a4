import type { ToolCall } from './conversation.ts';
import type { Chat } from './use-chat.ts';

interface ToolCallsProps {
  readonly calls: readonly ToolCall[];
  readonly chat: Chat;
  /** Whether results can still be entered. */
  readonly isOpen: boolean;
}

/** The tool calls of a response. The user enters their results by hand. */
export function ToolCalls({ calls, chat, isOpen }: ToolCallsProps) {
  return (
    <div class="calls">
      {calls.map(({ id, name, arguments: argumentText, result }) => (
        <figure key={id} class="code">
          <figcaption>
            <span>Tool call: {name}</span>
          </figcaption>
          {/* Focusable, so that the keyboard can scroll long lines */}
          <pre tabIndex={0}>
            <code>{indented(argumentText)}</code>
          </pre>
          {isOpen ? (
            <label>
              Result of {name}
              <textarea
                rows={2}
                value={result ?? ''}
                onInput={({ currentTarget }) => chat.giveResult(id, currentTarget.value)}
              />
            </label>
          ) : (
            result !== undefined && <p class="plain-text">{result}</p>
          )}
        </figure>
      ))}
      {isOpen && (
        <button type="button" onClick={chat.goOn}>
          Send results
        </button>
      )}
    </div>
  );
}

/** Indented JSON; other text unchanged. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
