import type { CommandInput } from '../../config/load.ts';
import { SettingsError } from '../../config/settings-error.ts';

/** Refuses settings that hold for one process alone. */
export function checkWorkerSettings({ maxLoaded, loraRoot }: CommandInput['settings']): void {
  const problems: string[] = [];
  if (maxLoaded !== undefined) problems.push('--max-loaded counts the models of one process; leave --workers out.');
  if (loraRoot !== undefined)
    problems.push(
      '--lora-root: adapters that are loaded while Conch runs are known to one process; leave --workers out.',
    );
  if (problems.length > 0) throw new SettingsError(problems);
}
