import type { ToolUse } from '../requests/tools.ts';
import type { GuidedStructure } from './guided-structure.ts';
import type { CheckableStructure } from './structure-reader.ts';
import type { Emulation } from './structured-emulation.ts';
import { parametersOf } from './tool-structure.ts';

interface GuidedCheckOptions {
  readonly retries: number;
  readonly use?: ToolUse | undefined;
  readonly text?: CheckableStructure | undefined;
}

/**
 * What a guided response is checked against if its guide is not exact; undefined for an exact guide, a grammar or
 * a structural tag.
 * Unknown keywords are ignored, as the guide ignores them. `use` has the tools of a response that must be calls, or may
 * be calls if it has a `text`.
 */
export function guidedCheck(
  guided: GuidedStructure | undefined,
  { retries, use, text }: GuidedCheckOptions,
): Emulation | undefined {
  if (!guided?.guide || guided.guide.isExact) return undefined;
  const { structure, field } = guided;
  if (use) {
    const schemas = new Map(use.tools.map((tool) => [tool.function.name, parametersOf(tool)]));
    const calls = { isRequired: text === undefined, schemas };
    return { isGuided: true, ...(text ? { structure: text } : {}), calls, field, retries };
  }
  if ('grammar' in structure || 'structural_tag' in structure) return undefined;
  return { isGuided: true, structure: structure, field, retries };
}
