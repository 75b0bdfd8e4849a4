import { type Conch, startConch } from '../support/conch.ts';
import { inRoot, tokenizerFolder } from '../support/environment.ts';
import { startTriton } from '../support/triton.ts';

/** The API key of the tests. */
export const key = 'sesame';

/**
 * A Conch in front of a tritonserver with the models `agent`, whose context takes the prompts of every client,
 * `agent-small`, whose context takes none, and `agent-plain`, whose chat template does not support tools.
 */
export async function startAgentGateway(): Promise<Conch> {
  const triton = await startTriton({ repository: 'test/agents/models' });
  const template = `agent-plain=${inRoot('bench/chat-template.jinja')}`;
  const models = ['--tokenizer', tokenizerFolder('qwen3'), '--chat-template', template];
  const flags = ['--triton', `127.0.0.1:${triton.grpcPort}`, '--api-key', key, ...models];
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
