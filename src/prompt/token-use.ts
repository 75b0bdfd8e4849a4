/** Tokens of all texts that this process has turned into tokens or counted. */
export const tokenUse = {
  /** Those that were stored since an earlier text. */
  cached: 0,
  encoded: 0,
};
