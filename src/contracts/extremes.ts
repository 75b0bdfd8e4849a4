/** Asked for when neither the request nor the context says how much: an engine takes what its context leaves. */
export const allThereIs = 1_000_000;

/** Backends take a top_p of 0 for none, or refuse it; this leaves the likeliest token alone, as OpenAI means it. */
export const smallestTopP = 1e-6;
