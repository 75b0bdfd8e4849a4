import { homedir } from 'node:os';
import { sep } from 'node:path';
import type { Command } from '../../config/command.ts';
import type { CommandInput } from '../../config/load.ts';
import { resolvePath } from '../../config/paths.ts';
import { checkRepository } from '../../repository/check-repository.ts';
import { type Finding, findingLine, RepositoryError } from '../../repository/finding.ts';
import type { RepositoryModel } from '../../repository/repository-model.ts';
import type { Terminal } from '../../serve/terminal.ts';
import { table } from '../../table.ts';
import type { CliCommand } from '../command.ts';

const definition: Command = {
  name: 'repo check',
  summary: 'Check every config.pbtxt and the layout of model repositories',
  groups: [],
  arguments: 'DIR…',
  exitCodes: { 1: 'A model has an error, or a folder cannot be read.' },
  examples: ['conch repo check ./models', 'conch repo check /models/engines /models/gguf'],
};

/** `conch repo check`: one line per finding and a table of the models; exit code 1 when there is an error. */
export const repoCheckCommand: CliCommand = { definition, run };

async function run({ positionals }: CommandInput, terminal: Terminal): Promise<number> {
  const paths = positionals.length === 0 ? ['./models'] : positionals;
  const folders = paths.map((folder) => resolvePath(folder, { homeDirectory: homedir() }));
  try {
    const { repository, findings } = await checkRepository(folders);
    for (const finding of findings) terminal.out(findingLine(finding));
    if (findings.length > 0) terminal.out('');
    terminal.out(summary(repository.models, findings));
    return findings.some(({ severity }) => severity === 'error') ? 1 : 0;
  } catch (error) {
    if (!(error instanceof RepositoryError)) throw error;
    for (const problem of error.problems) terminal.err(`conch: ${problem}`);
    return 1;
  }
}

function summary(models: readonly RepositoryModel[], findings: readonly Finding[]): string {
  const rows = models.map((model) => {
    const hasError = findings.some(({ severity, file }) => severity === 'error' && isInside(file, model.folder));
    const state = hasError ? 'ERROR' : 'OK';
    if (model.state === 'unavailable') return [model.name, model.backend ?? '?', '', '', state];
    return [model.name, model.backend, model.versions.join(', '), model.runsOn, state];
  });
  const errors = counted(findings, 'error');
  const warnings = counted(findings, 'warning');
  const total = `${models.length} ${models.length === 1 ? 'model' : 'models'}, ${errors}, ${warnings}.`;
  return `${table(['MODEL', 'BACKEND', 'VERSIONS', 'RUNS ON', 'STATE'], rows)}\n\n${total}`;
}

function isInside(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder + sep);
}

function counted(findings: readonly Finding[], severity: Finding['severity']): string {
  const count = findings.filter((finding) => finding.severity === severity).length;
  return `${count} ${severity}${count === 1 ? '' : 's'}`;
}
