import { ApiError } from '../../../errors.ts';
import type { BodyLimit } from '../../../http/request-limits.ts';
import { toolsOf } from './input-items.ts';

/** Limits the tools of a request, with those in namespaces and those that input items add. */
export const countAllTools: BodyLimit = ({ tools, input }, { tools: most }) => {
  const items: readonly Readonly<Record<string, unknown>>[] = Array.isArray(input) ? input : [];
  const count = items.reduce((sum: number, item) => sum + countTools(toolsOf(item ?? {})), countTools(tools));
  if (count <= most) return;
  const message = `tools: must have at most ${most} tools (--max-tools), including those in namespaces, not ${count}.`;
  throw new ApiError('invalid_request', message, { param: 'tools' });
};

function countTools(tools: unknown): number {
  if (!Array.isArray(tools)) return 0;
  return tools.reduce((sum: number, tool: unknown) => {
    const { tools: inner } = (tool ?? {}) as { readonly tools?: unknown };
    return sum + (Array.isArray(inner) ? inner.length : 1);
  }, 0);
}
