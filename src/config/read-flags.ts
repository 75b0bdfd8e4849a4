import { fromTexts, type Given, splitModel } from './given.ts';
import type { GivenFlag } from './parse-arguments.ts';
import { fromText, kindOf, type SettingTable } from './setting.ts';

/** The flags of a command line as values of the table's settings; the last of several wins, a list takes all. */
export function readFlags(flags: readonly GivenFlag[], table: SettingTable): readonly Given[] {
  const given: Given[] = [];
  for (const [name, setting] of Object.entries(table)) {
    const own = flags.filter((flag) => flag.name === name);
    const last = own.at(-1);
    if (last === undefined) continue;
    if (kindOf(setting.schema) === 'list') {
      given.push(
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
        given.push(
          fromFlag(flag, { input: fromText(setting.schema, value), ...(model === undefined ? {} : { model }) }),
        );
      }
    } else given.push(fromFlag(last, { input: fromText(setting.schema, last.values[0] ?? '') }));
  }
  return given;
}

function fromFlag({ name, flag }: GivenFlag, value: Pick<Given, 'input' | 'model'>): Given {
  const label = value.model === undefined ? flag : `${flag} ${value.model}=…`;
  return { ...value, name, source: 'flag', where: flag, label: () => label };
}
