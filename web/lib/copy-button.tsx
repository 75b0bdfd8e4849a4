import { useState } from 'preact/hooks';
import { copyText } from './copy-text.ts';

/** Copies a text and confirms it in its label. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [currentLabel, setCurrentLabel] = useState(label);
  const copy = (): void => {
    copyText(text).then(
      () => setCurrentLabel('Copied'),
      () => setCurrentLabel('Copy failed'),
    );
  };
  return (
    <button type="button" class="small" onClick={copy} onBlur={() => setCurrentLabel(label)}>
      <span aria-live="polite">{currentLabel}</span>
    </button>
  );
}
