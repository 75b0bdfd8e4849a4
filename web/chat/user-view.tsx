import { useState } from 'preact/hooks';
import type { UserTurn } from './conversation.ts';

/** A message of the user, which can be edited and sent again. */
export function UserView({ turn, onEdit }: { readonly turn: UserTurn; readonly onEdit: (text: string) => void }) {
  const [draft, setDraft] = useState<string>();
  if (draft === undefined)
    return (
      <article class="turn user" aria-label="You">
        <p class="plain-text">{turn.text}</p>
        <div class="actions">
          <button type="button" class="small" onClick={() => setDraft(turn.text)}>
            Edit
          </button>
        </div>
      </article>
    );
  return (
    <article class="turn user" aria-label="You">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setDraft(undefined);
          onEdit(draft);
        }}
      >
        <textarea
          aria-label="Edit message"
          rows={3}
          value={draft}
          ref={focused}
          onInput={({ currentTarget }) => setDraft(currentTarget.value)}
        />
        <div class="actions">
          <button type="submit" class="small primary">
            Send again
          </button>
          <button type="button" class="small" onClick={() => setDraft(undefined)}>
            Cancel
          </button>
        </div>
      </form>
    </article>
  );
}

/** Focuses the editor when it appears. */
function focused(area: HTMLTextAreaElement | null): void {
  area?.focus();
}
