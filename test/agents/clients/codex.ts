import { type Agent, type AgentSetup } from '../agent.ts';

/** OpenAI's Codex, on the Responses API. */
export const codex: Agent = {
  name: 'codex',
  package: '@openai/codex',
  program: 'codex',
  files: (setup) => ({ '.codex/config.toml': configuration(setup) }),
  environment: ({ key }) => ({ CONCH_API_KEY: key }),
  command: (prompt, session) => ({
    words: [
      'exec',
      ...(session === 'last' ? ['resume', '--last'] : []),
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      prompt,
    ],
  }),
  onOverflow: 'ends',
  tools: {
    shell: (command) => ({ name: 'exec_command', arguments: { cmd: command } }),
    // Without metadata of the model, Codex edits files through its shell: it runs this command itself.
    write: (path, line) => ({ name: 'exec_command', arguments: { cmd: patchCommand(path, line) } }),
    lookup: (number) => ({ name: 'mcp__shells__shell_name', arguments: { number } }),
  },
};

function configuration({ url, model, mcpServer }: AgentSetup): string {
  return `model = "${model}"
model_provider = "conch"

[model_providers.conch]
name = "Conch"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "CONCH_API_KEY"

[mcp_servers.shells]
command = "${process.execPath}"
args = ["${mcpServer}"]
`;
}

function patchCommand(path: string, line: string): string {
  return `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${path}\n+${line}\n*** End Patch\nEOF`;
}
