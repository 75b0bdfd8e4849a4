import type { Agent, AgentSetup } from '../agent.ts';

/** opencode, on the chat API. */
export const opencode: Agent = {
  name: 'opencode',
  package: 'opencode-ai',
  program: 'opencode',
  files: (setup) => ({ '.config/opencode/opencode.json': JSON.stringify(configuration(setup)) }),
  environment: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }),
  // A prompt in an argument would be written with quotes around it.
  command: (prompt, session) => ({ words: ['run', ...(session === 'last' ? ['--continue'] : [])], input: prompt }),
  onOverflow: 'retries',
  tools: {
    shell: (command) => ({ name: 'bash', arguments: { command, description: 'Run a command' } }),
    write: (path, line) => ({ name: 'write', arguments: { filePath: path, content: `${line}\n` } }),
    lookup: (number) => ({ name: 'shells_shell_name', arguments: { number } }),
  },
};

function configuration({ url, key, model, mcpServer }: AgentSetup): object {
  return {
    model: `conch/${model}`,
    share: 'disabled',
    provider: {
      conch: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Conch',
        options: { baseURL: `${url}/v1`, apiKey: key },
        models: { [model]: { name: model, limit: { context: 262_144, output: 4096 } } },
      },
    },
    mcp: { shells: { type: 'local', command: [process.execPath, mcpServer] } },
    permission: 'allow',
  };
}
