import { checkSchema } from '../openai/schema-check.ts';
import { isJudged } from '../openai/schema-validate.ts';
import type { ToolUse } from '../openai/tools.ts';
import type { GuidedStructure } from './guided-structure.ts';
import type { Emulation } from './structured-emulation.ts';
import { parametersOf } from './tool-structure.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * What a guided response is held against where its guide may not keep it; undefined where the guide is exact, or the
 * response cannot be judged here. `use` are the tools of a response that must be calls.
 */
export function guidedCheck(
  guided: GuidedStructure | undefined,
  { retries, use }: { readonly retries: number; readonly use?: ToolUse },
): Emulation | undefined {
  if (!guided?.guide || guided.guide.isExact) return undefined;
  const { structure, field } = guided;
  if (use) {
    const schemas = use.tools.map((tool) => [tool.function.name, parametersOf(tool)] as const);
    const judged = new Map(schemas.filter(([, schema]) => isJudgeable(schema)));
    return { isGuided: true, calls: { isRequired: true, schemas: judged }, field, retries };
  }
  if ('grammar' in structure || ('json' in structure && !isJudgeable(structure.json))) return undefined;
  return { isGuided: true, form: structure, field, retries };
}

/** Whether every keyword of a schema can be judged; the schema itself was checked before. */
function isJudgeable(schema: Json): boolean {
  try {
    checkSchema(schema, '', { knows: isJudged });
    return true;
  } catch {
    return false;
  }
}
