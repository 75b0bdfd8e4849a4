import { useMemo, useState } from 'preact/hooks';
import { CopyButton } from '../lib/copy-button.tsx';
import { Dialog } from '../lib/dialog.tsx';
import { faultText } from '../lib/fault.ts';
import type { Asked, Turn } from './conversation.ts';
import { chatRequest } from './request.ts';
import { type Language, languages, snippet } from './snippets.ts';

interface SnippetDialogProps {
  readonly asked: Asked;
  readonly turns: readonly Turn[];
  readonly hasKey: boolean;
  readonly onClose: () => void;
}

/** The exact request of a response, as a program. */
export function SnippetDialog({ asked, turns, hasKey, onClose }: SnippetDialogProps) {
  const [language, setLanguage] = useState<Language>('curl');
  const text = useMemo(() => textOf(language, asked, turns, hasKey), [language, asked, turns, hasKey]);
  return (
    <Dialog title="Request" onClose={onClose}>
      <div class="row" role="group" aria-label="Language">
        {languages.map((each) => (
          <button
            key={each}
            type="button"
            class="small"
            aria-pressed={each === language}
            onClick={() => setLanguage(each)}
          >
            {each}
          </button>
        ))}
        <CopyButton key={language} text={text} />
      </div>
      {/* Focusable, so that the keyboard can scroll long lines */}
      <pre class="snippet" tabIndex={0}>
        <code>{text}</code>
      </pre>
    </Dialog>
  );
}

function textOf(language: Language, asked: Asked, turns: readonly Turn[], hasKey: boolean): string {
  try {
    const base = new URL('v1', document.baseURI).href;
    return snippet(language, chatRequest(asked, turns), { base, hasKey });
  } catch (error) {
    return faultText(error);
  }
}
