/** Why a tokenizer or template could not be found or read, in words for the person who set it. */
export class AssetError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AssetError';
  }
}
