import { benchCommand } from './bench.ts';
import { chatCommand } from './chat.ts';
import type { CliCommand } from './command.ts';
import { completionsCommand } from './completions.ts';
import { doctorCommand } from './doctor/doctor.ts';
import { engineInstallCommand } from './engine-install.ts';
import { generateCommand } from './generate.ts';
import { keysCreateCommand } from './keys/create.ts';
import { keysListCommand } from './keys/list.ts';
import { keysRevokeCommand } from './keys/revoke.ts';
import { modelsCommand } from './models.ts';
import { repoCheckCommand } from './repo/check.ts';
import { repoFillCommand } from './repo/fill.ts';
import { repoInitCommand } from './repo/init.ts';
import { serveCommand } from './serve.ts';

/** All commands; the first one runs when none is named. */
export const commands: readonly CliCommand[] = [
  serveCommand,
  chatCommand,
  modelsCommand,
  doctorCommand,
  generateCommand,
  engineInstallCommand,
  repoInitCommand,
  repoFillCommand,
  repoCheckCommand,
  keysCreateCommand,
  keysListCommand,
  keysRevokeCommand,
  benchCommand,
  completionsCommand(() => commands),
];
