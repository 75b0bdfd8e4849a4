import type { ToolUse } from '../requests/tools.ts';
import type { GuidedStructure } from './guided-structure.ts';
import type { Emulation } from './structured-emulation.ts';
import { parametersOf } from './tool-structure.ts';

/**
 * What a guided response is checked against if its guide is not exact; undefined for an exact guide or a grammar.
 * Unknown keywords are ignored, as the guide ignores them. `use` has the tools of a response that must be calls.
 */
export function guidedCheck(
  guided: GuidedStructure | undefined,
  { retries, use }: { readonly retries: number; readonly use?: ToolUse | undefined },
): Emulation | undefined {
  if (!guided?.guide || guided.guide.isExact) return undefined;
  const { structure, field } = guided;
  if (use) {
    const schemas = new Map(use.tools.map((tool) => [tool.function.name, parametersOf(tool)]));
    return { isGuided: true, calls: { isRequired: true, schemas }, field, retries };
  }
  if ('grammar' in structure) return undefined;
  return { isGuided: true, structure: structure, field, retries };
}
