import { browserStorage } from '../lib/storage.ts';
import { titleOf } from './conversation.ts';
import type { Chat } from './use-chat.ts';

/** The conversations stored in this browser. */
export function ConversationList({ chat, onDone }: { readonly chat: Chat; readonly onDone: () => void }) {
  const { stored, conversation } = chat;
  return (
    <section id="conversations" class="panel" aria-label="Conversations">
      <button
        type="button"
        aria-keyshortcuts="Alt+N"
        title="Alt+N"
        onClick={() => {
          chat.begin();
          onDone();
        }}
      >
        New conversation
      </button>
      <ul>
        {stored.map((each) => (
          <li key={each.id}>
            <button
              type="button"
              class="title"
              aria-current={each.id === conversation.id ? 'true' : undefined}
              onClick={() => {
                chat.open(each);
                onDone();
              }}
            >
              {titleOf(each)}
            </button>
            <button
              type="button"
              class="small"
              aria-label={`Delete: ${titleOf(each)}`}
              title="Delete"
              onClick={() => chat.remove(each)}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      {stored.length === 0 && <p class="hint">No conversations yet.</p>}
      <p class="hint">
        {browserStorage.isPersistent
          ? 'Stored only in this browser.'
          : 'This browser blocks storage: conversations are lost when you close this tab.'}
      </p>
    </section>
  );
}
