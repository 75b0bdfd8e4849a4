import { innerNames } from './chain.ts';
import type { ModelRegistry } from './registry.ts';

/** The models whose requests need this one: itself, and the ensembles and BLS models that contain it. */
export function rootsThatNeed(registry: Pick<ModelRegistry, 'names' | 'copiesOf'>, root: string): string[] {
  const outer = registry
    .names()
    .filter((name) =>
      registry.copiesOf(name).some(({ found }) => found.ready && innerNames(found.ready.config).includes(root)),
    );
  return [...new Set([root, ...outer])];
}
