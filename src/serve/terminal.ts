import type { CommandInput } from '../config/load.ts';
import type { Progress } from './progress.ts';
import type { WorkerContext } from './workers/worker-context.ts';

/** Settings, and the text of the file that they were read from. */
export interface SettingsNow {
  readonly settings: CommandInput['settings'];
  readonly text: string | undefined;
}

/** What a command may use of the process; only main.ts touches the process itself. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Writes to the output as it is, without ending the line. */
  write(text: string): void;
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a person reads the output. */
  readonly isInteractive: boolean;
  /** Whether that person wants colours. */
  readonly isColoured: boolean;
  /** Input and output themselves, for a command that talks with a person or reads what is piped in. */
  readonly streams: () => { readonly input: NodeJS.ReadStream; readonly output: NodeJS.WriteStream };
  /** Shows how far a download or load is, on standard error. */
  readonly progress: (progress: Progress) => void;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly stop: AbortSignal;
  /** The settings of the same command line as they are now: the file is read again, or this text in its place. Throws a SettingsError. */
  readonly settingsNow: (text?: string) => SettingsNow;
  /** Saves compiled code for the next start, where this one had to compile. */
  readonly saveCompiledCode: () => void;
  /** Calls back at every SIGHUP, which ends a process that does not ask for this. */
  readonly onHangUp: (listener: () => void) => void;
  /** Set when this process is one of several workers. */
  readonly worker?: WorkerContext | undefined;
}
