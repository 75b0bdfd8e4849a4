import { type Options, unusedOptions } from './options.ts';

/** Fields that Conch may ignore. */
interface Given {
  readonly options?: Options | null | undefined;
  readonly keep_alive?: number | string | null | undefined;
  readonly truncate?: boolean | null | undefined;
  readonly shift?: boolean | null | undefined;
}

/** The ignored fields. Conch rejects prompts that Ollama would truncate or shift, so `false` is supported. */
export function withoutEffect({ options, keep_alive: keepAlive, truncate, shift }: Given): string[] {
  return [
    ...unusedOptions(options),
    ...(keepAlive === null || keepAlive === undefined ? [] : ['keep_alive']),
    ...(truncate ? ['truncate'] : []),
    ...(shift ? ['shift'] : []),
  ];
}
