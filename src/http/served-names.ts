import { ApiError } from '../errors.ts';
import { mayUse } from '../keys/key-holder.ts';
import type { ErrorSteps } from './failures.ts';
import { runsModels } from './guard.ts';
import { type RestrictedApi, restrictionCheck } from './restricted-apis.ts';
import { loadableNames, type ModelServices } from './usable-models.ts';

/** More names would bury the message. */
const mostNames = 5;

/**
 * Adds the available models that the key can use to the error about an unknown model. Clients that cannot list
 * models get no names.
 */
export function addServedNames(
  services: ModelServices & { readonly restrictedApis: readonly RestrictedApi[] },
): ErrorSteps {
  const missingHeader = restrictionCheck(services.restrictedApis);
  return (error, request) => {
    if (!(error instanceof ApiError) || error.reason !== 'unknown_model') return error;
    if (!runsModels(request.endpoint?.group)) return error;
    if (missingHeader('model-repository', request.headers) !== undefined) return error;
    const served = services.models.list().map(({ name }) => name);
    const names = [...served.filter((name) => mayUse(request.key, name)), ...loadableNames(request, services)];
    if (names.length === 0) return error;
    const rest = names.length - mostNames;
    const others = rest > 0 ? ` and ${rest} more` : '';
    const { code, message, param } = error;
    const text = `${message} Available models: ${names.slice(0, mostNames).join(', ')}${others}.`;
    return new ApiError(code, text, param === null ? {} : { param });
  };
}
