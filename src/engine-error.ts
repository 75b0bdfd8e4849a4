/** Why the engine, a model file or a download cannot be used, in one line for the person who started Conch. */
export class EngineError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineError';
  }
}
