import type { ToolCall } from './conversation.ts';
import type { Chat } from './use-chat.ts';

interface ToolCallsProps {
  readonly calls: readonly ToolCall[];
  readonly chat: Chat;
  /** Whether results can still be given. */
  readonly isOpen: boolean;
}

/** The functions that the model wants to have called; whoever reads it may play their part. */
export function ToolCalls({ calls, chat, isOpen }: ToolCallsProps) {
  return (
    <div class="calls">
      {calls.map(({ id, name, arguments: given, result }) => (
        <figure key={id} class="code">
          <figcaption>
            <span>calls {name}</span>
          </figcaption>
          {/* Long lines are scrolled by keys too */}
          <pre tabIndex={0}>
            <code>{indented(given)}</code>
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
            result !== undefined && <p class="said">{result}</p>
          )}
        </figure>
      ))}
      {isOpen && (
        <button type="button" onClick={chat.goOn}>
          Send the results
        </button>
      )}
    </div>
  );
}

/** Arguments as JSON that people can read; as they are where they are none. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
