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
  /** Whether the output has colours. */
  readonly isColoured: boolean;
  /** Input and output themselves, for a command that talks with a person or reads what is piped in. */
  readonly streams: () => { readonly input: NodeJS.ReadStream; readonly output: NodeJS.WriteStream };
  /** Shows the progress of a download or load on standard error. */
  readonly progress: (progress: Progress) => void;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly stop: AbortSignal;
  /** The current settings, with the configuration file read again or replaced by this text. Throws a SettingsError. */
  readonly settingsNow: (text?: string) => SettingsNow;
  /** Saves compiled code for the next start, where this one had to compile. */
  readonly saveCompiledCode: () => void;
  /** Calls back at every SIGHUP. Without a listener, SIGHUP ends the process. */
  readonly onHangUp: (listener: () => void) => void;
  /** Set when this process is one of several workers. */
  readonly worker?: WorkerContext | undefined;
}
