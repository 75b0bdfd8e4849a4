import { type Options, unusedOptions } from './options.ts';

/** Fields that Conch may ignore. */
interface FieldValues {
  readonly options?: Options | null | undefined;
  readonly keep_alive?: number | string | null | undefined;
  readonly truncate?: boolean | null | undefined;
  readonly shift?: boolean | null | undefined;
}

/** The ignored fields. Conch rejects prompts that Ollama would truncate or shift, so `false` is supported. */
export function unusedFields({ options, keep_alive: keepAlive, truncate, shift }: FieldValues): string[] {
  return [
    ...unusedOptions(options),
    ...(keepAlive === null || keepAlive === undefined ? [] : ['keep_alive']),
    ...(truncate ? ['truncate'] : []),
    ...(shift ? ['shift'] : []),
  ];
}
