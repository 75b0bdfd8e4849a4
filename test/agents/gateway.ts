import { type Conch, startConch } from '../support/conch.ts';
import { tokenizerFolder } from '../support/environment.ts';
import { startTriton } from '../support/triton.ts';

/** The API key of the tests. */
export const key = 'sesame';

/**
 * A Conch in front of a tritonserver with the models `agent`, whose context takes the prompts of every client, and
 * `agent-small`, whose context takes none.
 */
export async function startAgentGateway(): Promise<Conch> {
  const triton = await startTriton({ repository: 'test/agents/models' });
  const flags = ['--triton', `127.0.0.1:${triton.grpcPort}`, '--tokenizer', tokenizerFolder('qwen3'), '--api-key', key];
  const conch = await startConch({ flags }).catch(async (error: unknown) => {
    await triton.stop();
    throw error;
  });
  const stop = async (): Promise<number | null> => {
    const code = await conch.stop();
    await triton.stop();
    return code;
  };
  return { ...conch, stop };
}
