import { useEffect, useState } from 'preact/hooks';
import type { Api } from '../lib/api.ts';
import { Composer } from './composer.tsx';
import { ConversationList } from './conversation-list.tsx';
import { MessageLog } from './message-log.tsx';
import { SettingsPanel } from './settings-panel.tsx';
import { useChat } from './use-chat.ts';
import { useModels } from './use-models.ts';
import { useShortcuts } from './use-shortcuts.ts';

type Panel = 'conversations' | 'settings';

/** The playground: conversations with the models of the server. */
export function Playground({ api, isVisible }: { readonly api: Api; readonly isVisible: boolean }) {
  const chat = useChat(api);
  const { models, errorText, reload } = useModels(api, isVisible);
  // A narrow screen shows one panel at a time, a wide one always both.
  const [panel, setPanel] = useState<Panel>();
  const { conversation, live } = chat;
  const { model } = conversation.settings;
  useEffect(() => {
    if (models?.[0] && !models.some(({ id }) => id === model)) chat.change({ model: models[0].id });
  }, [models, model]);
  useShortcuts({ isOn: isVisible, onStop: chat.stop, onNew: chat.begin });
  const toggle = (target: Panel) => (
    <button
      type="button"
      class="small"
      aria-expanded={panel === target}
      aria-controls={target}
      onClick={() => setPanel(panel === target ? undefined : target)}
    >
      {target === 'conversations' ? 'Conversations' : 'Settings'}
    </button>
  );
  return (
    <div class="playground" data-panel={panel}>
      <a
        class="skip"
        href="#message"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('message')?.focus();
        }}
      >
        Skip to message
      </a>
      <div class="panel-switch">
        {toggle('conversations')}
        {toggle('settings')}
      </div>
      <ConversationList chat={chat} onDone={() => setPanel(undefined)} />
      <section class="chat" aria-labelledby="chat-heading">
        <h2 id="chat-heading" class="offscreen">
          Conversation
        </h2>
        {errorText !== undefined && (
          <div class="notice" role="alert">
            <p>{errorText}</p>
            <button type="button" onClick={reload}>
              Try again
            </button>
          </div>
        )}
        <MessageLog chat={chat} hasKey={api.hasKey} />
        <Composer chat={chat} isGenerating={live !== undefined} />
      </section>
      <SettingsPanel chat={chat} models={models} />
    </div>
  );
}
