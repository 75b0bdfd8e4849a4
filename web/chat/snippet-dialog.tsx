import { useMemo, useState } from 'preact/hooks';
import { CopyButton } from '../lib/copy-button.tsx';
import { Dialog } from '../lib/dialog.tsx';
import { messageOf } from '../lib/request-error.ts';
import type { ChatSettings, Turn } from './conversation.ts';
import { chatRequest } from './request.ts';
import { type Language, languages, snippet } from './snippets.ts';

interface SnippetDialogProps {
  readonly settings: ChatSettings;
  readonly turns: readonly Turn[];
  readonly hasKey: boolean;
  readonly onClose: () => void;
}

/** The exact request of a response, as a program. */
export function SnippetDialog({ settings, turns, hasKey, onClose }: SnippetDialogProps) {
  const [language, setLanguage] = useState<Language>('curl');
  const text = useMemo(() => textOf(language, settings, turns, hasKey), [language, settings, turns, hasKey]);
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

function textOf(language: Language, settings: ChatSettings, turns: readonly Turn[], hasKey: boolean): string {
  try {
    const base = new URL('v1', document.baseURI).href;
    return snippet(language, chatRequest(settings, turns), { base, hasKey });
  } catch (error) {
    return messageOf(error);
  }
}
