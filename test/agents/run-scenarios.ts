import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../support/program.ts';
import type { Agent } from './agent.ts';
import type { Recorder } from './recorder.ts';
import { type RecordedRequest, Redaction } from './recording.ts';
import { chatScenario, resumeScenario, type Scenario, workScenario } from './scenarios.ts';
import { AgentSession } from './session.ts';

/** What came of a client's session: chat, work and resume. */
export interface SessionResult {
  readonly outcomes: Readonly<
    Record<string, Pick<Outcome, 'code'> & { readonly isMessagePrinted: boolean; readonly output: string }>
  >;
  /** The content of `notes.txt`. */
  readonly notes: string;
  readonly requests: readonly RecordedRequest[];
}

/** Runs one client through all scenarios that end well, and records what it sends. */
export async function runScenarios(agent: Agent, installation: string, recorder: Recorder): Promise<SessionResult> {
  const session = new AgentSession(agent, { url: recorder.url, installation });
  const redaction = new Redaction(session);
  const outcomes: Record<string, SessionResult['outcomes'][string]> = {};
  const requests: RecordedRequest[] = [];
  const play = async (name: string, { prompt, message }: Scenario, mode: 'new' | 'last'): Promise<void> => {
    const { code, stdout, stderr } = await session.start(prompt, mode).outcome;
    outcomes[name] = { code, isMessagePrinted: stdout.includes(message), output: `${stdout}\n${stderr}` };
    for (const exchange of recorder.take()) requests.push(redaction.request(name, exchange));
  };
  try {
    recorder.take();
    await play('chat', chatScenario(), 'new');
    await play('work', workScenario(agent, session.folder), 'new');
    await play('resume', resumeScenario(), 'last');
    return { outcomes, notes: readText(join(session.folder, 'notes.txt')), requests };
  } finally {
    await session.close();
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
