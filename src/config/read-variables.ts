import { nearest } from './nearest.ts';
import { fileKey, fromText, kindOf, placeholdersOf, type Setting, type SettingTable, variablesOf } from './setting.ts';
import { fromTexts, type SettingInput, type SourceValues, splitModel } from './setting-input.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment variables as values of the table's settings. An empty one counts as not set. */
export function readVariables(environment: Environment, table: SettingTable): SourceValues {
  const inputs: SettingInput[] = [];
  const known = new Set<string>();
  const meanings = new Map<string, string>();
  for (const [name, setting] of Object.entries(table)) {
    const variables = variablesOf(name, setting);
    for (const variable of variables) known.add(variable);
    const [first = ''] = variables;
    for (const alias of [...variables, ...(setting.aliases ?? []).map(variableOf)]) meanings.set(alias, first);
    const variable = variables.find((candidate) => isSet(environment, candidate));
    if (variable !== undefined)
      inputs.push(...fromVariable(name, setting, { variable, text: environment[variable] ?? '' }));
  }
  return { inputs, problems: unknownIn(environment, known, meanings) };
}

function fromVariable(
  name: string,
  setting: Setting,
  { variable, text }: { variable: string; text: string },
): readonly SettingInput[] {
  const origin = { name, source: 'variable', where: variable, label: () => variable } as const;
  if (kindOf(setting.schema) === 'list') {
    const items = text.split(separatorOf(setting)).map((item) => item.trim());
    return [
      {
        ...origin,
        input: fromTexts(
          setting,
          items.filter((item) => item !== '').map((item) => [item]),
        ),
      },
    ];
  }
  if (!setting.perModel) return [{ ...origin, input: fromText(setting.schema, text) }];
  // A comma separates two values only where `model=` follows it: a path may contain commas.
  const parts = text.split(/,(?=[^=/\\,]+=)/).map((item) => splitModel(item.trim()));
  return parts.map(({ model, value }): SettingInput => {
    const input = fromText(setting.schema, value);
    const label = () => (model === undefined ? variable : `${variable} ${model}=…`);
    const one: SettingInput = { name, source: 'variable', where: variable, input, label };
    return model === undefined ? one : Object.assign(one, { model });
  });
}

/** A list with several arguments in each item has commas inside them. */
function separatorOf(setting: Setting): RegExp {
  return placeholdersOf(setting).length > 1 ? /[;\n]/ : /[,\n]/;
}

function unknownIn(environment: Environment, known: ReadonlySet<string>, meanings: ReadonlyMap<string, string>) {
  return Object.keys(environment)
    .filter((variable) => isOurs(variable) && !known.has(variable))
    .filter((variable) => environment[variable] !== undefined && !isServiceLink(variable, environment[variable]))
    .map((variable) => {
      const near = nearest(variable, [...meanings.keys()]);
      const meant = near === undefined ? undefined : (meanings.get(near) ?? near);
      const hint = meant === undefined ? 'docs/settings.md lists them.' : `Did you mean ${meant}?`;
      return `${variable} is not an environment variable of Conch. ${hint}`;
    });
}

// Conch's own tests use names that begin with CONCH_TEST_.
function isOurs(variable: string): boolean {
  return variable.startsWith('CONCH_') && !variable.startsWith('CONCH_TEST_');
}

function variableOf(name: string): string {
  return `CONCH_${fileKey(name).replaceAll('-', '_').toUpperCase()}`;
}

function isSet(environment: Environment, variable: string): boolean {
  const value = environment[variable];
  return value !== undefined && value !== '' && !isServiceLink(variable, value);
}

// For a service called `conch`, Kubernetes sets environment variables such as CONCH_PORT=tcp://10.0.0.1:9000 in every pod.
const serviceLink = /^CONCH_(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const serviceAddress = /^(tcp|udp|sctp):\/\//;

function isServiceLink(variable: string, value: string | undefined): boolean {
  if (serviceLink.test(variable)) return true;
  return /^CONCH_(.*_)?PORT$/.test(variable) && serviceAddress.test(value ?? '');
}
