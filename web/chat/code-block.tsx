import { CopyButton } from '../lib/copy-button.tsx';

/** A code block with its language and a copy button. */
export function CodeBlock({ text, language }: { readonly text: string; readonly language: string }) {
  return (
    <figure class="code">
      <figcaption>
        <span>{language === '' ? 'code' : language}</span>
        <CopyButton text={text} />
      </figcaption>
      {/* Focusable, so that the keyboard can scroll long lines */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
