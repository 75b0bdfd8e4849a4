import { ApiError } from '../errors.ts';

/** A LoRA adapter that a model does not have, with those that it has. */
export function unknownAdapter(name: string, known: readonly string[]): ApiError {
  const others = known.length === 0 ? 'It has none.' : `It has: ${known.join(', ')}.`;
  return new ApiError('model_not_found', `This model has no LoRA adapter named ${name}. ${others}`, { param: 'model' });
}
