import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inRoot } from '../support/environment.ts';
import type { Outcome } from '../support/program.ts';
import type { Agent, AgentSetup } from './agent.ts';
import { key as correctKey } from './gateway.ts';

interface SessionOptions {
  readonly url: string;
  /** The folder with the clients: that of node_modules. */
  readonly installation: string;
  readonly model?: string;
  readonly key?: string;
}

export interface AgentRun {
  readonly outcome: Promise<Outcome>;
  /** Ends the client and all that it has started. */
  readonly interrupt: (signal?: NodeJS.Signals) => void;
}

/** A client with a home folder and a working folder of its own. */
export class AgentSession {
  readonly home: string;
  readonly folder: string;
  readonly #agent: Agent;
  readonly #setup: AgentSetup;
  readonly #root: string;
  readonly #program: string;
  readonly #running = new Set<AgentRun>();

  constructor(agent: Agent, { url, installation, model = 'agent', key = correctKey }: SessionOptions) {
    this.#root = realpathSync(mkdtempSync(join(tmpdir(), `conch-${agent.name}-`)));
    this.home = join(this.#root, 'home');
    this.folder = join(this.#root, 'project');
    this.#agent = agent;
    this.#program = join(installation, 'node_modules/.bin', agent.program);
    const mcpServer = inRoot('test/agents/mcp-server.mjs');
    this.#setup = { url, key, model, home: this.home, mcpServer };
    mkdirSync(this.folder, { recursive: true });
    for (const [path, text] of Object.entries(agent.files(this.#setup))) {
      const file = join(this.home, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }

  /** Runs a prompt. */
  start(prompt: string, session: 'new' | 'last' = 'new'): AgentRun {
    const { words, input } = this.#agent.command(prompt, session, this.#setup);
    const child = spawn(this.#program, words, {
      cwd: this.folder,
      // Some clients read the folder from PWD.
      env: { ...cleanEnvironment(), HOME: this.home, PWD: this.folder, ...this.#agent.environment(this.#setup) },
      // A group of its own, which can be ended as a whole.
      detached: true,
      stdio: 'pipe',
    });
    child.stdin.end(input);
    const interrupt = (signal: NodeJS.Signals = 'SIGINT'): void => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
    };
    const run = { outcome: outcomeOf(child), interrupt };
    this.#running.add(run);
    void run.outcome.finally(() => this.#running.delete(run)).catch(() => undefined);
    return run;
  }

  /** Ends what still runs and removes the folders. */
  async close(): Promise<void> {
    for (const run of this.#running) run.interrupt('SIGKILL');
    await Promise.allSettled([...this.#running].map(({ outcome }) => outcome));
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** The environment without what would configure a client, or tell it that it runs inside another. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const isForeign = (name: string): boolean =>
    /^(?:ANTHROPIC|CLAUDE|CODEX|CONTINUE|GEMINI|GOOGLE|OLLAMA|OPENAI|OPENCODE|QWEN|XDG|VITEST)_?/.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isForeign(name)));
}
