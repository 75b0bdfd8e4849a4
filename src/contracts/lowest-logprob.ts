/** Minus infinity in a response: JSON has no value for it. */
export const lowestLogprob = -9999;
