/** What a client connects to. */
export interface AgentSetup {
  /** The address of the server, without a path. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
  /** The home folder of the client: a folder of its own for each session. */
  readonly home: string;
  /** The script of a server of the Model Context Protocol named `shells`. */
  readonly mcpServer: string;
}

/** A call as the model writes it. */
export interface ScriptedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface AgentCommand {
  readonly words: readonly string[];
  readonly input?: string;
}

/** One command-line client: how to configure it, how to run it, and what its tools are named. */
export interface Agent {
  readonly name: string;
  /** Its package of npm. */
  readonly package: string;
  readonly program: string;
  /** Configuration files by their path in the home folder. */
  readonly files: (setup: AgentSetup) => Readonly<Record<string, string>>;
  readonly environment: (setup: AgentSetup) => Readonly<Record<string, string>>;
  /** Runs a prompt to its end, in a new session or in the last one of the folder. */
  readonly command: (prompt: string, session: 'new' | 'last', setup: AgentSetup) => AgentCommand;
  /** What it does when the prompt is too long: it ends with a message, or compacts the conversation and retries. */
  readonly onOverflow: 'ends' | 'retries';
  /** How the model calls the client's tools. */
  readonly tools: {
    readonly shell: (command: string) => ScriptedCall;
    readonly write: (path: string, line: string) => ScriptedCall;
    /** What the model calls before, where the client offers tools of MCP servers only on demand. */
    readonly findLookup?: ScriptedCall;
    /** The tool of the MCP server. */
    readonly lookup: (number: number) => ScriptedCall;
  };
}

/** The configuration of the MCP server as most clients have it. */
export function mcpServers({ mcpServer }: AgentSetup, more: object = {}): object {
  return { shells: { command: process.execPath, args: [mcpServer], ...more } };
}
