import type { Model } from '../lib/models.ts';
import { numberFields, textFields } from './fields.ts';
import type { Chat } from './use-chat.ts';

/** The model and the other settings of a request. */
export function SettingsPanel({
  chat,
  models,
}: {
  readonly chat: Chat;
  readonly models: readonly Model[] | undefined;
}) {
  const { model, system, fields } = chat.conversation.settings;
  const setField = (name: string, value: string): void => chat.change({ fields: { ...fields, [name]: value } });
  return (
    <section id="settings" class="panel" aria-label="Settings">
      <label>
        Model
        <select value={model} onChange={({ currentTarget }) => chat.change({ model: currentTarget.value })}>
          {(models ?? []).map(({ id, state }) => (
            <option key={id} value={id}>
              {id}
              {state === undefined ? '' : ` (${state})`}
            </option>
          ))}
        </select>
      </label>
      {models?.length === 0 && <p role="status">No chat models found. The dashboard lists all models.</p>}
      <label>
        System prompt
        <textarea
          rows={3}
          value={system}
          onInput={({ currentTarget }) => chat.change({ system: currentTarget.value })}
        />
      </label>
      <div class="numbers">
        {numberFields.map(({ name, label, step, minimum, maximum }) => (
          <label key={name}>
            {label}
            <input
              type="number"
              name={name}
              step={step}
              min={minimum}
              max={maximum}
              placeholder="default"
              value={fields[name] ?? ''}
              onInput={({ currentTarget }) => setField(name, currentTarget.value)}
            />
          </label>
        ))}
      </div>
      {textFields.map(({ name, label, hint }) => (
        <label key={name}>
          {label}
          <textarea
            rows={2}
            name={name}
            spellcheck={false}
            placeholder={hint}
            value={fields[name] ?? ''}
            onInput={({ currentTarget }) => setField(name, currentTarget.value)}
          />
        </label>
      ))}
    </section>
  );
}
