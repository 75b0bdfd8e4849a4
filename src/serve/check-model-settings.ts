import type { CommandInput } from '../config/load.ts';
import type { ModelSettings } from '../config/model-settings.ts';
import { didYouMean } from '../config/nearest.ts';
import { fileKey } from '../config/setting.ts';
import { SettingsError } from '../config/settings-error.ts';
import { rowAbilities } from '../models/abilities.ts';
import { reasoningFormats } from '../output/reasoning/formats.ts';
import { toolFormats } from '../output/tools/formats.ts';

/** What a setting may say beside the name of a parser: the model's answers are not parsed. */
const noParser = 'none';

interface Format {
  readonly name: string;
  readonly aliases?: readonly string[];
}

/** Refuses names of parsers that do not exist, with those that do, and settings of an alias that hold for its model alone. */
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
    `${key}: there is no parser ${JSON.stringify(name)}. There are: ${names.join(', ')}, ${noParser}.${didYouMean(name, names)}`,
  ];
}

/** How a model is spoken to is found once for it, whatever further names it has. */
const rootOnly = [
  ...(['contract', 'engineDir', 'cancelWith', 'lora'] as const),
  ...Object.values(rowAbilities).map(({ name }) => name),
];

function misplacedOf(name: string, settings: ModelSettings): string[] {
  const { serves } = settings;
  if (serves === undefined) return [];
  return rootOnly
    .filter((key) => settings[key] !== undefined)
    .map((key) => `models.${name}.${fileKey(key)}: set it for ${serves} itself, whose other name this is.`);
}
