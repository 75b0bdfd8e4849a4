/** The same answers asked of the token server itself. */
import { harness } from '../harness.mjs';
import { modelOf } from '../token-server/models.mjs';

/** @import { LaneOptions, Lanes } from './openai-lanes.mjs' */

/**
 * Lanes to a Triton, all on one connection.
 * @param {LaneOptions} options
 * @returns {Lanes}
 */
export function grpcLanes({ url, model, prompt, contract }) {
  const client = new harness.GrpcClient({ host: url.hostname, port: Number(url.port) });
  const served = modelOf(contract);
  /** @type {Map<number, Uint8Array>} */
  const known = new Map();
  const message = (/** @type {number} */ tokens) => {
    const written =
      known.get(tokens) ?? harness.encodeInferRequest({ model, id: 'bench', inputs: served.ask(prompt, tokens) });
    known.set(tokens, written);
    return written;
  };
  return {
    ask: async (_, tokens, onTokens) => {
      let seen = 0;
      const onResponse = () => {
        seen++;
        onTokens(1, 1);
      };
      const error = await client.infer(message(tokens), onResponse);
      return error ?? (seen === tokens ? undefined : `${seen} responses instead of ${tokens}`);
    },
    close: () => void client.close(),
  };
}
