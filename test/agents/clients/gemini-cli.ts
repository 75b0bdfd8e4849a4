import { type Agent, mcpServers } from '../agent.ts';

/** Google's gemini-cli, on the Gemini API. */
export const geminiCli: Agent = {
  name: 'gemini-cli',
  package: '@google/gemini-cli',
  program: 'gemini',
  files: (setup) => ({
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      mcpServers: mcpServers(setup, { trust: true }),
    }),
  }),
  environment: ({ url, key }) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url }),
  command: (prompt, session, { model }) => ({
    words: [
      '--model',
      model,
      '--yolo',
      '--skip-trust',
      ...(session === 'last' ? ['--resume', 'latest'] : []),
      '--prompt',
      prompt,
    ],
  }),
  onOverflow: 'ends',
  tools: {
    shell: (command) => ({ name: 'run_shell_command', arguments: { command, description: 'Run a command' } }),
    write: (path, line) => ({ name: 'write_file', arguments: { file_path: path, content: `${line}\n` } }),
    lookup: (number) => ({ name: 'mcp_shells_shell_name', arguments: { number } }),
  },
};
