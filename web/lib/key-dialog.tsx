import type { TargetedSubmitEvent } from 'preact';
import { Dialog } from './dialog.tsx';

interface KeyDialogProps {
  /** Why the dialog is open. */
  readonly reason: string;
  readonly hasKey: boolean;
  readonly onKey: (key: string | undefined) => void;
  readonly onClose: () => void;
}

/** Asks for the API key of this server. */
export function KeyDialog({ reason, hasKey, onKey, onClose }: KeyDialogProps) {
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const value = new FormData(event.currentTarget).get('key');
    const key = typeof value === 'string' ? value.trim() : '';
    if (key !== '') onKey(key);
  };
  return (
    <Dialog title="Authentication" onClose={onClose}>
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
            // What a header can contain
            pattern="\s*[!-~]+\s*"
            title="ASCII letters, digits and symbols, without spaces"
          />
        </label>
        <p class="hint">Stored only in this tab, until you close it.</p>
        <div class="row">
          <button type="submit" class="primary">
            Save key
          </button>
          {hasKey && (
            <button type="button" onClick={() => onKey(undefined)}>
              Remove key
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
