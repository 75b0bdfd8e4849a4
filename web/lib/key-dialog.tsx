import type { TargetedSubmitEvent } from 'preact';
import { Dialog } from './dialog.tsx';

interface KeyDialogProps {
  /** Why a key is asked for. */
  readonly reason: string;
  readonly hasKey: boolean;
  readonly onKey: (key: string | undefined) => void;
  readonly onClose: () => void;
}

/** Asks for the key of this server. */
export function KeyDialog({ reason, hasKey, onKey, onClose }: KeyDialogProps) {
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget).get('key');
    const key = typeof given === 'string' ? given.trim() : '';
    if (key !== '') onKey(key);
  };
  return (
    <Dialog title="Key of this server" onClose={onClose}>
      <form onSubmit={submit}>
        <p role="alert">{reason}</p>
        <label>
          API key
          <input
            name="key"
            type="password"
            // biome-ignore lint/a11y/noAutofocus: a dialog gives the focus to its first button otherwise, which closes it
            autofocus
            autocomplete="off"
            required
            // All that a header can hold
            pattern="\s*[!-~]+\s*"
            title="Letters, digits and signs of ASCII, without spaces"
          />
        </label>
        <p class="hint">It is kept in this tab alone, and forgotten when the tab is closed.</p>
        <div class="row">
          <button type="submit" class="primary">
            Use this key
          </button>
          {hasKey && (
            <button type="button" onClick={() => onKey(undefined)}>
              Forget the key
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
