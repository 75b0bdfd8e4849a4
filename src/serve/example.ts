import type { Logger } from 'pino';
import type { CommandInput } from '../config/load.ts';
import { wantsKey } from '../config/start-warnings.ts';
import { firstRowAbility } from '../models/abilities.ts';
import type { NamedModel } from '../models/served-model.ts';
import type { Terminal } from './terminal.ts';

type ExampleSettings = Pick<
  CommandInput['settings'],
  'logFormat' | 'apiKey' | 'apiKeyFile' | 'jwtJwks' | 'openaiRestrictedApi' | 'ui'
>;

/** Prints, once, a curl command for the first served model. */
export function examplePrinter(
  settings: ExampleSettings,
  terminal: Pick<Terminal, 'out'>,
  logger: Logger,
): (models: readonly NamedModel[], origin: Promise<string>) => Promise<void> {
  let isPrinted = false;
  return async ([model], origin) => {
    if (!model || isPrinted) return;
    isPrinted = true;
    await model.assets().catch(() => undefined);
    const line = exampleLine(model, await origin, settings);
    if (settings.logFormat === 'json') logger.info({ example: line }, 'try it');
    else
      terminal.out(`\nTry it:\n  ${line}\n${settings.ui ? `or open ${reachable(await origin)} in a browser.\n` : ''}`);
  };
}

function exampleLine(model: NamedModel, origin: string, settings: ExampleSettings): string {
  const headers = ["-H 'content-type: application/json'"];
  if (wantsKey(settings)) headers.push('-H "Authorization: Bearer $CONCH_API_KEY"');
  const restriction = settings.openaiRestrictedApi.find(({ apis }) => apis.includes('inference'));
  if (restriction) headers.push(`-H '${restriction.header}: YOUR VALUE'`);
  const [path, fields] = exampleRequest(model);
  const body = JSON.stringify({ model: model.name, ...fields });
  return `curl ${reachable(origin)}${path} ${headers.join(' ')} -d '${body}'`;
}

/** Replaces the address of all interfaces by one that clients can use. */
function reachable(origin: string): string {
  return origin.replace('0.0.0.0', 'localhost');
}

/** The path and the body of an example request. */
function exampleRequest(model: NamedModel): [string, object] {
  const sampling = { max_tokens: 64, temperature: 0.2 };
  const task = model.contract ? undefined : firstRowAbility(model);
  if (task) return [task.endpoint, task.example];
  return model.loadedAssets()?.template === undefined
    ? ['/v1/completions', { prompt: 'A conch is', ...sampling }]
    : ['/v1/chat/completions', { messages: [{ role: 'user', content: 'What is a conch?' }], ...sampling }];
}
