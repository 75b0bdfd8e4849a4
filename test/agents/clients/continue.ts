import { join } from 'node:path';
import type { Agent, AgentSetup } from '../agent.ts';

/** Continue's command line, on the chat API. */
export const continueCli: Agent = {
  name: 'continue',
  package: '@continuedev/cli',
  program: 'cn',
  files: (setup) => ({ '.continue/config.yaml': configuration(setup) }),
  environment: () => ({ CONTINUE_TELEMETRY_ENABLED: '0' }),
  command: (prompt, session, { home }) => ({
    words: [
      '--print',
      '--auto',
      '--config',
      join(home, '.continue/config.yaml'),
      ...(session === 'last' ? ['--resume'] : []),
      prompt,
    ],
  }),
  onOverflow: 'ends',
  tools: {
    shell: (command) => ({ name: 'Bash', arguments: { command } }),
    write: (path, line) => ({ name: 'Write', arguments: { filepath: path, content: `${line}\n` } }),
    lookup: (number) => ({ name: 'shell_name', arguments: { number } }),
  },
};

function configuration({ url, key, model, mcpServer }: AgentSetup): string {
  return `name: Conch
version: 1.0.0
schema: v1
models:
  - name: ${model}
    provider: openai
    model: ${model}
    apiBase: ${url}/v1
    apiKey: ${key}
    roles: [chat, edit, apply]
    capabilities: [tool_use]
mcpServers:
  - name: shells
    command: ${process.execPath}
    args: ["${mcpServer}"]
`;
}
