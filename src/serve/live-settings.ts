import type { CommandInput } from '../config/load.ts';
import { modelSettings } from '../config/model-settings.ts';

type Settings = CommandInput['settings'];

/** The settings in effect now. Those who ask each time follow a change of the file. */
export class LiveSettings {
  #current: Settings;
  #aliases: ReadonlyMap<string, string>;

  constructor(settings: Settings) {
    this.#current = settings;
    this.#aliases = aliasesOf(settings);
  }

  get current(): Settings {
    return this.#current;
  }

  /** Further names of models, and the models behind them. */
  get aliases(): ReadonlyMap<string, string> {
    return this.#aliases;
  }

  replace(settings: Settings): void {
    this.#current = settings;
    this.#aliases = aliasesOf(settings);
  }

  /** All that bears on how a served name is described, as a text. */
  basisOf(name: string): string {
    const { maxToolCallParseBytes, historyTemplate, historyTemplateFile, hfEndpoint, hfToken } = this.#current;
    const shared = [maxToolCallParseBytes, historyTemplate, historyTemplateFile, hfEndpoint, hfToken];
    const { maxRunning: _running, maxWaiting: _waiting, ...described } = modelSettings(this.#current, name);
    return JSON.stringify([described, shared]);
  }
}

function aliasesOf({ models }: Settings): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(models).flatMap(([name, { serves }]) => (serves === undefined ? [] : [[name, serves] as const])),
  );
}
