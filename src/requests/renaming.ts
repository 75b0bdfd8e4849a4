import { ApiError } from '../errors.ts';

/** The name of a chat request field in the API of the original request. */
export type Rename = (field: string) => string;

/** Renames the field of an error from the chat request to the API of the original request. */
export function renamedError(error: ApiError, rename: Rename): ApiError {
  const { param } = error;
  const field = param === null ? null : rename(param);
  return field === null || field === param ? error : error.renamed(field);
}

/** The names of the reasoning switch in chat templates. Each template reads at most one of them. */
export const thinkingVariables: readonly string[] = [
  'chat_template_kwargs.enable_thinking',
  'chat_template_kwargs.thinking',
];

/** Reports errors and ignored fields of a chat request under the names of the original API. */
interface FieldRenaming<Origin> {
  readonly renameError: (error: ApiError, origin: Origin) => ApiError;
  /** Renames the ignored fields of the chat request. */
  readonly renameIgnored: (names: readonly string[], origin: Origin) => string[];
  /** Runs the work of a request, and renames its errors. */
  readonly withRenamedErrors: <Result>(origin: Origin, work: () => Promise<Result>) => Promise<Result>;
}

/** For an API whose requests are translated to chat requests. `thinking` is its name of the reasoning switch. */
export function renaming<Origin>(
  thinking: string,
  renameField: (field: string, origin: Origin) => string,
): FieldRenaming<Origin> {
  const renameError = (error: ApiError, origin: Origin): ApiError =>
    renamedError(error, (field) => renameField(field, origin));
  return {
    renameError,
    renameIgnored: (names, origin) => renamedIgnored(names, thinking, (field) => renameField(field, origin)),
    withRenamedErrors: async (origin, work) => {
      try {
        return await work();
      } catch (error) {
        throw renameError(ApiError.from(error), origin);
      }
    },
  };
}

/** The ignored fields under their names in the original API, each once. */
function renamedIgnored(names: readonly string[], thinking: string, rename: Rename): string[] {
  // The switch is ignored only if the template reads neither of its names.
  const isUnread = thinkingVariables.every((name) => names.includes(name));
  const others = names.filter((name) => !thinkingVariables.includes(name)).map(rename);
  return [...new Set([...(isUnread ? [thinking] : []), ...others])];
}
