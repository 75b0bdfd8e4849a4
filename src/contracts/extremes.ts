/** The token limit where neither the request nor the context length sets one: an engine stops at its own. */
export const noTokenLimit = 1_000_000;

/** Backends ignore a top_p of 0 or reject it; with this value only the likeliest token is left, as OpenAI means it. */
export const smallestTopP = 1e-6;
