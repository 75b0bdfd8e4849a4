import type { CommandInput } from '../config/load.ts';
import { modelSettings } from '../config/model-settings.ts';

type Settings = CommandInput['settings'];

/** The current settings. Code that reads them each time follows changes of the configuration file. */
export class LiveSettings {
  #current: Settings;
  #aliases: ReadonlyMap<string, string>;
  #modelNames: readonly string[];

  constructor(settings: Settings) {
    this.#current = settings;
    this.#aliases = aliasesOf(settings);
    this.#modelNames = modelNamesOf(settings);
  }

  get current(): Settings {
    return this.#current;
  }

  /** Aliases and their models. */
  get aliases(): ReadonlyMap<string, string> {
    return this.#aliases;
  }

  /** The models of the servers that the settings name. */
  get modelNames(): readonly string[] {
    return this.#modelNames;
  }

  replace(settings: Settings): void {
    this.#current = settings;
    this.#aliases = aliasesOf(settings);
    this.#modelNames = modelNamesOf(settings);
  }

  /** All settings that the description of a served name depends on, as JSON. */
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

/** An alias is no model of a server, but the name behind it is. */
function modelNamesOf({ tritonModel, models }: Settings): readonly string[] {
  const roots = Object.entries(models).map(([name, { serves }]) => serves ?? name);
  return [...new Set([...tritonModel, ...roots])];
}
