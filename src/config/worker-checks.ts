import type { Settings } from './settings.ts';

type Worked = Pick<Settings, 'workers' | 'maxLoaded' | 'loraRoot' | 'triton' | 'model' | 'modelRepository'>;

/** What holds for one process alone, and does not go with several. */
export function workerChecks(settings: Worked): readonly string[] {
  const { workers, maxLoaded, loraRoot, triton, model, modelRepository } = settings;
  if (workers === 1) return [];
  const problems: string[] = [];
  if (maxLoaded !== undefined) problems.push('--max-loaded counts the models of one process; leave --workers out.');
  if (loraRoot !== undefined)
    problems.push(
      '--lora-root: adapters that are loaded while Conch runs are known to one process; leave --workers out.',
    );
  const isAlone = triton.length + modelRepository.length === 0;
  const inside = model[0] ?? (isAlone ? 'the default model' : undefined);
  if (inside !== undefined) problems.push(insideOneProcess(settings, inside));
  return problems;
}

/** Why a model of the embedded engine does not go with several workers. */
export function insideOneProcess({ workers }: Pick<Settings, 'workers'>, model: string): string {
  return (
    `--workers ${workers}: ${model} runs inside one process (the embedded engine). ` +
    'Leave --workers out, or serve models of Triton alone.'
  );
}
