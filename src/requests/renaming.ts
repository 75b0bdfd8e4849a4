import { ApiError } from '../errors.ts';

/** How another API calls a field of the chat that its request became. */
export type Rename = (field: string) => string;

/** A fault that names a field of the chat, in the names of the API that was asked. */
export function renamedFault(error: ApiError, rename: Rename): ApiError {
  const { param } = error;
  const field = param === null ? null : rename(param);
  return field === null || field === param ? error : error.renamed(field);
}

/** What templates call the switch of reasoning: each reads one of the two at most. */
export const thinkingVariables: readonly string[] = [
  'chat_template_kwargs.enable_thinking',
  'chat_template_kwargs.thinking',
];

/**
 * What an API needs whose requests become chats: faults and fields without effect in its own names. `thinking` is how it
 * calls its switch of reasoning.
 */
export function renaming<Origin>(thinking: string, renameField: (field: string, origin: Origin) => string) {
  const renameFault = (error: ApiError, origin: Origin): ApiError =>
    renamedFault(error, (field) => renameField(field, origin));
  return {
    renameFault,
    /** The names of what had no effect in the chat. */
    ignoredFields: (names: readonly string[], origin: Origin): string[] =>
      renamedIgnored(names, thinking, (field) => renameField(field, origin)),
    /** What is done for a request, its faults in the names of the API. */
    inTheirNames: async <Result>(origin: Origin, work: () => Promise<Result>): Promise<Result> => {
      try {
        return await work();
      } catch (error) {
        throw renameFault(ApiError.from(error), origin);
      }
    },
  };
}

/** The names of what had no effect in the chat, each once; `thinking` is how the API calls its switch of reasoning. */
function renamedIgnored(names: readonly string[], thinking: string, rename: Rename): string[] {
  // It had no effect only where neither of its variables is read.
  const isUnread = thinkingVariables.every((name) => names.includes(name));
  const others = names.filter((name) => !thinkingVariables.includes(name)).map(rename);
  return [...new Set([...(isUnread ? [thinking] : []), ...others])];
}
