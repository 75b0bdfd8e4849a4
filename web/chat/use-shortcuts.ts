import { useEffect } from 'preact/hooks';

interface Shortcuts {
  readonly isOn: boolean;
  readonly onStop: () => void;
  readonly onNew: () => void;
}

/** Escape stops the response, Alt+N starts a new conversation. */
export function useShortcuts({ isOn, onStop, onNew }: Shortcuts): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!isOn || document.querySelector('dialog[open]')) return;
      if (event.key === 'Escape') onStop();
      else if (event.altKey && event.code === 'KeyN') {
        event.preventDefault();
        onNew();
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [isOn, onStop, onNew]);
}
