import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import type { Agent } from './agent.ts';
import { agents } from './clients/all.ts';
import { startAgentGateway } from './gateway.ts';
import { versionsIn } from './install.ts';
import { type Recorder, startRecorder } from './recorder.ts';
import type { Recording } from './recording.ts';
import { runScenarios } from './run-scenarios.ts';
import { heldCall, heldMessage, heldPrompt, notes } from './scenarios.ts';
import { AgentSession } from './session.ts';
import { stateOf } from './tagged-request.ts';

/** How the clients report a prompt that is too long: in their own words, or in those of the error. */
const overflow =
  /ran out of room in the model's context window|Prompt is too long|maximum context length is 512 tokens\. The prompt has/;

interface SuiteOptions {
  /** The folder with the clients. */
  readonly install: () => Promise<string>;
  /** Receives what each client has sent. */
  readonly onRecording: (recording: Recording) => void;
}

/** Runs every client against Conch with a scripted model on a real tritonserver. */
export function describeAgents({ install, onRecording }: SuiteOptions): void {
  let conch: Conch;
  let recorder: Recorder;
  let installation: string;
  beforeAll(async () => {
    installation = await install();
    conch = await startAgentGateway();
    recorder = await startRecorder(conch.url);
  }, 1_200_000);
  afterAll(async () => {
    await recorder.stop();
    await conch.stop();
  });

  /** A session for one test: the function may end it at any time. */
  async function withSession<T>(
    agent: Agent,
    options: { readonly model?: string; readonly key?: string },
    use: (session: AgentSession) => Promise<T>,
  ): Promise<T> {
    const session = new AgentSession(agent, { url: recorder.url, installation, ...options });
    try {
      return await use(session);
    } finally {
      await session.close();
      recorder.take();
    }
  }

  describe.each(agents)('$name', (agent) => {
    it('chats, runs a command, uses an MCP server, writes a file, and resumes its session', async () => {
      const result = await runScenarios(agent, installation, recorder);
      const version = versionsIn(installation)[agent.name] ?? 'unknown';
      onRecording({ client: agent.name, version, requests: result.requests });
      const good = { code: 0, isMessagePrinted: true, output: expect.any(String) };
      expect(result.outcomes).toEqual({ chat: good, work: good, resume: good });
      expect(result.notes).toBe(`${notes}\n`);
    });

    it.runIf(agent.onOverflow === 'ends')('ends with a message when the prompt is too long', async () => {
      const { stdout, stderr } = await withSession(
        agent,
        { model: 'agent-small' },
        (session) => session.start('What is a conch?').outcome,
      );
      expect(`${stdout}\n${stderr}`).toMatch(overflow);
    });

    it.runIf(agent.onOverflow === 'retries')('compacts the conversation when the prompt is too long', async () => {
      const statuses: number[] = [];
      await withSession(agent, { model: 'agent-small' }, async (session) => {
        session.start('What is a conch?');
        // Every prompt of the client is too long: the first one, the compaction, and the next attempt.
        await expect
          .poll(
            () => {
              statuses.push(...recorder.take().map(({ status }) => status));
              return statuses.filter((status) => status === 400).length;
            },
            { timeout: 120_000 },
          )
          .toBeGreaterThan(2);
      });
      // The title of the session has a short prompt, and may come at any time.
      expect(statuses.filter((status) => status !== 400 && status !== 200)).toEqual([]);
    });

    it('ends with a message when the API key is wrong', async () => {
      const { stdout, stderr, statuses } = await withSession(agent, { key: 'wrong' }, async (session) => {
        const outcome = await session.start('What is a conch?').outcome;
        return { ...outcome, statuses: recorder.take().map(({ status }) => status) };
      });
      expect(`${stdout}\n${stderr}`).toContain('Incorrect API key provided');
      // Codex sends a failed request five times more, whatever the error.
      const failed = statuses.filter((status) => status === 401).length;
      expect({ failed, isFew: failed >= 1 && failed <= 6 }).toEqual({ failed, isFew: true });
    });

    it.each([
      ['interrupted in a message', 'SIGINT', () => heldMessage],
      ['killed in a tool call', 'SIGKILL', () => heldCall(agent)],
    ] as const)('stops the generation when it is %s', async (_, signal, held) => {
      const tag = `${signal}-${agent.name}`;
      const outcome = await withSession(agent, {}, async (session) => {
        const run = session.start(heldPrompt(held(), tag));
        await expect.poll(() => stateOf(conch, tag)).toBe('held');
        run.interrupt(signal);
        return run.outcome;
      });
      await expect.poll(() => stateOf(conch, tag)).toBe('cancelled');
      expect(outcome.stdout).not.toContain('there was a shell');
    });
  });
}
