import { pathOf } from './path-of.ts';
import { routeConstraint } from './route-constraint.ts';

/** A custom method at the end of a path. */
const ending = /(?::|%3A)([A-Za-z]+)\/?$/i;

/** Selects routes by the custom method of Google's APIs: `generateContent` in `/v1beta/models/NAME:generateContent`. */
export const customMethodConstraint = routeConstraint<'url'>(
  'customMethod',
  ({ url = '' }) => splitMethod(pathOf(url)).method ?? '',
);

/** Splits the custom method from the end of a path. */
export function splitMethod(path: string): { readonly rest: string; readonly method: string | undefined } {
  const found = ending.exec(path);
  return found ? { rest: path.slice(0, found.index), method: found[1] } : { rest: path, method: undefined };
}
