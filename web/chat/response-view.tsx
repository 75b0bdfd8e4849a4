import { useState } from 'preact/hooks';
import { CopyButton } from '../lib/copy-button.tsx';
import type { AssistantTurn, Turn } from './conversation.ts';
import { figureText } from './figure-text.ts';
import { MarkdownView } from './markdown-view.tsx';
import { Reasoning } from './reasoning.tsx';
import { SnippetDialog } from './snippet-dialog.tsx';
import { ToolCalls } from './tool-calls.tsx';
import type { Chat } from './use-chat.ts';

interface ResponseViewProps {
  readonly turn: AssistantTurn;
  readonly before: readonly Turn[];
  readonly hasKey: boolean;
  readonly chat: Chat;
  /** It is still being generated. */
  readonly isLive?: boolean;
  readonly isLast?: boolean;
}

/** A response with its reasoning, tool calls, error and figures. */
export function ResponseView({ turn, before, hasKey, chat, isLive = false, isLast = false }: ResponseViewProps) {
  const [isShowingRequest, setShowingRequest] = useState(false);
  const { text, reasoning, calls, finish, error, figures, settings } = turn;
  return (
    <article class="turn assistant" aria-label={`Response from ${settings.model}`}>
      {reasoning !== '' && <Reasoning text={reasoning} isGoingOn={isLive && text === ''} />}
      <MarkdownView text={text} />
      {isLive && text === '' && reasoning === '' && <p class="hint waiting">…</p>}
      {calls.length > 0 && <ToolCalls calls={calls} chat={chat} isOpen={isLast} />}
      {error !== undefined && <p class="notice">{error}</p>}
      {finish === 'stopped' && <p class="hint">Stopped.</p>}
      {finish === 'length' && <p class="hint">Stopped at the token limit.</p>}
      {!isLive && (
        <div class="actions">
          {figures && <span class="figures">{figureText(figures)}</span>}
          {text !== '' && <CopyButton text={text} />}
          <button type="button" class="small" onClick={() => chat.again(turn.id)}>
            Retry
          </button>
          <button type="button" class="small" onClick={() => setShowingRequest(true)}>
            Show request
          </button>
        </div>
      )}
      {isShowingRequest && (
        <SnippetDialog settings={settings} turns={before} hasKey={hasKey} onClose={() => setShowingRequest(false)} />
      )}
    </article>
  );
}
