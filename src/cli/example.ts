import type { Logger } from 'pino';
import type { CommandInput } from '../config/load.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { Terminal } from './command.ts';

/** Shows, once, a line to paste for the first model that is served. */
export function exampleShower(
  { logFormat, apiKey }: Pick<CommandInput['settings'], 'logFormat' | 'apiKey'>,
  terminal: Pick<Terminal, 'out'>,
  logger: Logger,
): (models: readonly ServedModel[], origin: () => string) => Promise<void> {
  let isShown = false;
  return async ([model], origin) => {
    if (!model || isShown) return;
    isShown = true;
    await model.assets().catch(() => undefined);
    const line = exampleLine(model, origin(), apiKey);
    if (logFormat === 'json') logger.info({ example: line }, 'try it');
    else terminal.out(`\nTry it:\n  ${line}\n`);
  };
}

function exampleLine(model: ServedModel, origin: string, apiKey: string | undefined): string {
  const isChat = model.loadedAssets()?.template !== undefined;
  const question = isChat ? { messages: [{ role: 'user', content: 'What is a conch?' }] } : { prompt: 'A conch is' };
  const headers = ["-H 'content-type: application/json'"];
  if (apiKey !== undefined) headers.push('-H "Authorization: Bearer $CONCH_API_KEY"');
  const path = isChat ? '/v1/chat/completions' : '/v1/completions';
  const body = JSON.stringify({ model: model.name, ...question, max_tokens: 64, temperature: 0.2 });
  return `curl ${origin.replace('0.0.0.0', 'localhost')}${path} ${headers.join(' ')} -d '${body}'`;
}
