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
export function Playground({ api, isShown }: { readonly api: Api; readonly isShown: boolean }) {
  const chat = useChat(api);
  const { models, fault, reload } = useModels(api, isShown);
  // A narrow screen shows one panel at a time, a wide one always both.
  const [panel, setPanel] = useState<Panel>();
  const { conversation, live } = chat;
  const { model } = conversation.asked;
  useEffect(() => {
    if (models?.[0] && !models.some(({ id }) => id === model)) chat.change({ model: models[0].id });
  }, [models, model]);
  useShortcuts({ isOn: isShown, onStop: chat.stop, onNew: chat.begin });
  const toggle = (wanted: Panel) => (
    <button
      type="button"
      class="small"
      aria-expanded={panel === wanted}
      aria-controls={wanted}
      onClick={() => setPanel(panel === wanted ? undefined : wanted)}
    >
      {wanted === 'conversations' ? 'Conversations' : 'Settings'}
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
        {fault !== undefined && (
          <div class="notice" role="alert">
            <p>{fault}</p>
            <button type="button" onClick={reload}>
              Try again
            </button>
          </div>
        )}
        <MessageLog chat={chat} hasKey={api.hasKey} />
        <Composer chat={chat} isAnswering={live !== undefined} />
      </section>
      <SettingsPanel chat={chat} models={models} />
    </div>
  );
}
