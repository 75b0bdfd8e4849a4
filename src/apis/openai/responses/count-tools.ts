import { ApiError } from '../../../errors.ts';
import type { BodyLimit } from '../../../http/request-limits.ts';
import { toolsOf } from './input-items.ts';

/**
 * Limits the tools of a request, with those in namespaces and those that input items add. A tool counts once: a
 * conversation repeats its tools.
 */
export const countAllTools: BodyLimit = ({ tools, input }, { tools: most }) => {
  const items: readonly Readonly<Record<string, unknown>>[] = Array.isArray(input) ? input : [];
  const keys = new Set<string>();
  for (const list of [tools, ...items.map((item) => toolsOf(item ?? {}))])
    for (const key of toolKeys(list)) keys.add(key);
  if (keys.size <= most) return;
  const message = `tools: must have at most ${most} tools (--max-tools), including those in namespaces, not ${keys.size}.`;
  throw new ApiError('invalid_request', message, { param: 'tools' });
};

/** What tells the tools of a list apart: their namespaces and names, or their types. The list is not checked yet. */
function toolKeys(tools: unknown, namespace = ''): string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const { type, name, tools: inner } = (tool ?? {}) as Readonly<Record<string, unknown>>;
    const own = typeof name === 'string' ? `name ${name}` : `type ${typeof type === 'string' ? type : ''}`;
    if (Array.isArray(inner) && namespace === '') return toolKeys(inner, `${own} `);
    return [namespace + own];
  });
}
