import { CopyButton } from '../lib/copy-button.tsx';

/** Code, with its language and a button that copies it. */
export function CodeBlock({ text, language }: { readonly text: string; readonly language: string }) {
  return (
    <figure class="code">
      <figcaption>
        <span>{language === '' ? 'code' : language}</span>
        <CopyButton text={text} />
      </figcaption>
      {/* Long lines are scrolled by keys too */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
