import type { ParsedFlag } from './parse-arguments.ts';
import { fromText, kindOf, type SettingTable } from './setting.ts';
import { fromTexts, type SettingInput, splitModel } from './setting-input.ts';

/** The flags of a command line as values of the table's settings; the last of several wins, a list takes all. */
export function readFlags(flags: readonly ParsedFlag[], table: SettingTable): readonly SettingInput[] {
  const inputs: SettingInput[] = [];
  for (const [name, setting] of Object.entries(table)) {
    const own = flags.filter((flag) => flag.name === name);
    const last = own.at(-1);
    if (last === undefined) continue;
    if (kindOf(setting.schema) === 'list') {
      inputs.push(
        fromFlag(last, {
          input: fromTexts(
            setting,
            own.map(({ values }) => values),
          ),
        }),
      );
    } else if (setting.perModel) {
      for (const flag of own) {
        const { model, value } = splitModel(flag.values[0] ?? '');
        inputs.push(
          fromFlag(flag, { input: fromText(setting.schema, value), ...(model === undefined ? {} : { model }) }),
        );
      }
    } else inputs.push(fromFlag(last, { input: fromText(setting.schema, last.values[0] ?? '') }));
  }
  return inputs;
}

function fromFlag({ name, flag }: ParsedFlag, value: Pick<SettingInput, 'input' | 'model'>): SettingInput {
  const label = value.model === undefined ? flag : `${flag} ${value.model}=…`;
  return { ...value, name, source: 'flag', where: flag, label: () => label };
}
