import { type Group, groupNames, type SettingTable } from './setting.ts';

/** One command of `conch`. A new command is one more row in the table that the command line is read with. */
export interface Command<T extends SettingTable = SettingTable> {
  /** One word, or two: `keys create`. */
  readonly name: string;
  readonly summary: string;
  /** The groups of settings that this command obeys; the flags of other groups are refused. */
  readonly groups: readonly Group[];
  /** Flags of its own. They have no environment variable and no key in the file. */
  readonly flags?: T;
  /** How its arguments are written in help, such as `MODEL`; left out: it takes none. */
  readonly arguments?: string;
  /** What to use instead of arguments, for a command that takes none. */
  readonly insteadOfArguments?: string;
  /** It takes the words after `--`. */
  readonly takesRest?: boolean;
  /** What its exit codes mean, where that is not what they mean everywhere. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  /** At least two, of at most 78 columns. */
  readonly examples?: readonly string[];
}

/** What an exit code means where a command does not say otherwise. */
const usualExitCodes = {
  0: 'Success.',
  2: 'Invalid configuration. Each problem is printed on its own line.',
};

/** The exit codes of a command and what they mean, the smallest first; without its own, the usual ones. */
export function exitCodesOf({
  exitCodes,
}: Pick<Command, 'exitCodes'>): readonly (readonly [code: string, meaning: string])[] {
  return Object.entries({ ...usualExitCodes, ...exitCodes });
}

/** The command that runs when none is named. */
export const defaultCommand: Command = {
  name: 'serve',
  summary: 'Serve the OpenAI API (the default command)',
  groups: groupNames,
  takesRest: true,
  insteadOfArguments: 'Set the models with --triton HOST:8001, --model-repository DIR or --model FILE.gguf.',
  exitCodes: {
    0: 'Stopped, and all running requests finished.',
    1: 'Failed, or stopped and cut off requests that still ran after --drain-timeout.',
  },
  examples: [
    'conch --triton localhost:8001 --tokenizer ./llama3',
    'conch -t gpu-1:8001 -t gpu-2:8001 --tokenizer qwen3=Qwen/Qwen3-8B',
    'CONCH_API_KEY=secret conch --config conch.yaml --check',
  ],
};
