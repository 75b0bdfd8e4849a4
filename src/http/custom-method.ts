import type { IncomingMessage } from 'node:http';

/** A custom method at the end of a path. */
const ending = /(?::|%3A)([A-Za-z]+)\/?$/i;

/** Selects routes by the custom method of Google's APIs: `generateContent` in `/v1beta/models/NAME:generateContent`. */
export const customMethodConstraint = {
  name: 'customMethod',
  storage: () => {
    const routes = new Map<unknown, never>();
    return {
      get: (method: unknown) => routes.get(method) ?? null,
      set: (method: unknown, route: never) => void routes.set(method, route),
    };
  },
  validate: () => undefined,
  deriveConstraint: ({ url = '' }: Pick<IncomingMessage, 'url'>) => splitMethod(pathOf(url)).method ?? '',
};

/** Splits the custom method from the end of a path. */
export function splitMethod(path: string): { readonly rest: string; readonly method: string | undefined } {
  const found = ending.exec(path);
  return found ? { rest: path.slice(0, found.index), method: found[1] } : { rest: path, method: undefined };
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
