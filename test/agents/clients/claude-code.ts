import { join } from 'node:path';
import { type Agent, mcpServers } from '../agent.ts';

/** Anthropic's Claude Code, on the Messages API. */
export const claudeCode: Agent = {
  name: 'claude-code',
  package: '@anthropic-ai/claude-code',
  program: 'claude',
  files: (setup) => ({ 'mcp.json': JSON.stringify({ mcpServers: mcpServers(setup) }) }),
  environment: ({ url, key, model }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: key,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_CONTEXT_TOKENS: '262144',
    // Lets a container's root skip the permissions.
    IS_SANDBOX: '1',
  }),
  command: (prompt, session, { home }) => ({
    words: [
      '-p',
      ...(session === 'last' ? ['--continue'] : []),
      '--dangerously-skip-permissions',
      '--mcp-config',
      join(home, 'mcp.json'),
      '--',
      prompt,
    ],
  }),
  onOverflow: 'ends',
  tools: {
    shell: (command) => ({ name: 'Bash', arguments: { command } }),
    write: (path, line) => ({ name: 'Write', arguments: { file_path: path, content: `${line}\n` } }),
    findLookup: { name: 'ToolSearch', arguments: { query: 'select:mcp__shells__shell_name', max_results: 5 } },
    lookup: (number) => ({ name: 'mcp__shells__shell_name', arguments: { number } }),
  },
};
