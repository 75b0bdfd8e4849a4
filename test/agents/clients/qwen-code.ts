import { type Agent, mcpServers } from '../agent.ts';

/** Alibaba's qwen-code, on the chat API. */
export const qwenCode: Agent = {
  name: 'qwen-code',
  package: '@qwen-code/qwen-code',
  program: 'qwen',
  files: (setup) => ({
    '.qwen/settings.json': JSON.stringify({
      privacy: { usageStatisticsEnabled: false },
      mcpServers: mcpServers(setup, { trust: true }),
    }),
  }),
  environment: ({ url, key, model }) => ({
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: key,
    OPENAI_MODEL: model,
  }),
  command: (prompt, session) => ({
    words: ['--auth-type', 'openai', '--yolo', ...(session === 'last' ? ['--continue'] : []), '--prompt', prompt],
  }),
  onOverflow: 'ends',
  tools: {
    shell: (command) => ({ name: 'run_shell_command', arguments: { command, is_background: false } }),
    write: (path, line) => ({ name: 'write_file', arguments: { file_path: path, content: `${line}\n` } }),
    findLookup: { name: 'tool_search', arguments: { query: 'select:mcp__shells__shell_name' } },
    lookup: (number) => ({
      name: 'tool_call',
      arguments: { name: 'mcp__shells__shell_name', arguments: { number } },
    }),
  },
};
