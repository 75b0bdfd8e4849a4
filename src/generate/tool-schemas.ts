import { type CheckedTools, checkToolSchemas } from '../json-schema/check-tools.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { ChatRequest } from '../requests/chat-request.ts';
import type { ToolUse } from '../requests/tools.ts';
import { canGuide } from './structured-emulation.ts';

interface ToolFacts {
  readonly model: ServedModel;
  readonly use: ToolUse | undefined;
  /** Whether ignored fields are refused. */
  readonly isStrict: boolean;
}

/**
 * Checks the schemas of a request's tools. They are binding where a call is required or the tool is strict: the backend
 * guides the arguments, or Conch checks them.
 */
export function checkTools(tools: ChatRequest['tools'], { model, use, isStrict }: ToolFacts): CheckedTools {
  if (!tools) return { unread: [], canGuide: true };
  const isRequired = use !== undefined && use.mode !== 'auto';
  const callable = new Set(use?.tools);
  return checkToolSchemas(tools, {
    isBinding: (tool) => isStrict || (callable.has(tool) && (isRequired || tool.function.strict === true)),
    isGuide: use?.mode === 'required' && canGuide(model),
  });
}
