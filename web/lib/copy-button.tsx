import { useState } from 'preact/hooks';
import { copyText } from './copy-text.ts';

/** Copies a text and confirms it in its label. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [said, setSaid] = useState(label);
  const copy = (): void => {
    copyText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Copy failed'),
    );
  };
  return (
    <button type="button" class="small" onClick={copy} onBlur={() => setSaid(label)}>
      <span aria-live="polite">{said}</span>
    </button>
  );
}
