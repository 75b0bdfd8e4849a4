import type { CommandInput } from '../config/load.ts';
import type { ModelSettings } from '../config/model-settings.ts';
import { didYouMean } from '../config/nearest.ts';
import { fileKey } from '../config/setting.ts';
import { SettingsError } from '../config/settings-error.ts';
import { rowAbilities } from '../models/abilities.ts';
import { reasoningFormats } from '../output/reasoning/formats.ts';
import { toolFormats } from '../output/tools/formats.ts';

/** The value of a parser setting that turns parsing off. */
const noParser = 'none';

interface Format {
  readonly name: string;
  readonly aliases?: readonly string[];
}

/** Rejects unknown parsers, and settings of an alias that only its model may have. Throws a SettingsError. */
export function checkModelSettings({ toolCallParser, reasoningParser, models }: CommandInput['settings']): void {
  const own = Object.values(models);
  const problems = [
    ...Object.entries(models).flatMap(([name, settings]) => misplacedOf(name, settings)),
    ...[toolCallParser, ...own.map((model) => model.toolCallParser)].flatMap((name) =>
      problemOf('tool_call_parser', name, toolFormats),
    ),
    ...[reasoningParser, ...own.map((model) => model.reasoningParser)].flatMap((name) =>
      problemOf('reasoning_parser', name, reasoningFormats),
    ),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
}

function problemOf(key: string, name: string | undefined, formats: readonly Format[]): string[] {
  const names = formats.map((format) => format.name);
  const isKnown = formats.some((format) => format.name === name || format.aliases?.includes(name ?? ''));
  if (name === undefined || name === noParser || isKnown) return [];
  return [
    `--${key.replaceAll('_', '-')} (${key}): unknown parser ${JSON.stringify(name)}.${didYouMean(name, names)} Known parsers are ${names.join(', ')}, ${noParser}.`,
  ];
}

/** The contract of a model is detected once, for all its aliases. */
const rootOnly = [
  ...(['contract', 'engineDir', 'cancelWith', 'lora'] as const),
  ...Object.values(rowAbilities).map(({ name }) => name),
];

function misplacedOf(name: string, settings: ModelSettings): string[] {
  const { serves } = settings;
  if (serves === undefined) return [];
  return rootOnly
    .filter((key) => settings[key] !== undefined)
    .map((key) => `models.${name}.${fileKey(key)}: not supported for an alias. Set it for ${serves} instead.`);
}
