import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conch } from '../support/conch.ts';
import type { Agent } from './agent.ts';
import { agents } from './clients/all.ts';
import { startAgentGateway } from './gateway.ts';
import { versionsIn } from './install.ts';
import { type Recorder, startRecorder } from './recorder.ts';
import type { Recording } from './recording.ts';
import { runScenarios } from './run-scenarios.ts';
import { interruptedPrompt, notes } from './scenarios.ts';
import { AgentSession } from './session.ts';
import { stateOf } from './tagged-request.ts';

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
      expect(`${stdout}\n${stderr}`).toMatch(/context|too long|tokens/i);
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
      const { stdout, stderr } = await withSession(
        agent,
        { key: 'wrong' },
        (session) => session.start('What is a conch?').outcome,
      );
      expect(`${stdout}\n${stderr}`).toMatch(/API key|401|auth/i);
    });

    it('stops the generation when it is killed', async () => {
      const tag = `interrupted-${agent.name}`;
      const outcome = await withSession(agent, {}, async (session) => {
        const run = session.start(interruptedPrompt(tag));
        await expect.poll(() => stateOf(conch, tag)).toBe('held');
        run.interrupt();
        return run.outcome;
      });
      await expect.poll(() => stateOf(conch, tag)).toBe('cancelled');
      expect(outcome.stdout).not.toContain('there was a shell.');
    });
  });
}
