import { useRef, useState } from 'preact/hooks';
import type { Chat } from './use-chat.ts';

/** The input for the next message. Its button stops a running response. */
export function Composer({ chat, isGenerating }: { readonly chat: Chat; readonly isGenerating: boolean }) {
  const [text, setText] = useState('');
  const area = useRef<HTMLTextAreaElement>(null);
  const send = (): void => {
    if (isGenerating || text.trim() === '') return;
    if (chat.send(text)) setText('');
    area.current?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    // Enter also confirms a word in Chinese or Japanese input methods.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (isGenerating) chat.stop();
        else send();
      }}
    >
      {chat.problem !== undefined && (
        <p class="notice" role="alert">
          {chat.problem}
        </p>
      )}
      <label class="offscreen" for="message">
        Message
      </label>
      <textarea
        id="message"
        ref={area}
        rows={2}
        placeholder="Type a message. Enter to send, Shift+Enter for a new line, Escape to stop."
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={press}
      />
      <button type="submit" class="primary" aria-keyshortcuts={isGenerating ? 'Escape' : undefined}>
        {isGenerating ? 'Stop' : 'Send'}
      </button>
    </form>
  );
}
