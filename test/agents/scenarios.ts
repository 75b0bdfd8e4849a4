import { join } from 'node:path';
import { directive } from '../support/exchange.ts';
import type { Agent, ScriptedCall } from './agent.ts';

/** What the model does with one prompt, and what must come of it. */
export interface Scenario {
  readonly prompt: string;
  /** The last message of the model, which the client prints. */
  readonly message: string;
}

/** A call as Hermes and Qwen write it. */
export function written(call: ScriptedCall): string {
  return `<tool_call>\n${JSON.stringify(call)}\n</tool_call>`;
}

/** The model responds with a sentence. */
export function chatScenario(): Scenario {
  const message = 'A conch is a shell.';
  return { prompt: `What is a conch? ${directive({ answer: message })}`, message };
}

/** The line that the model writes into `notes.txt`. */
export const notes = 'Shell 7 is a whelk.';

/** The model runs a command, asks the MCP server, writes a file into the folder, and responds with a sentence. */
export function workScenario({ tools }: Agent, folder: string): Scenario {
  const message = 'The whelk is in the notes.';
  const calls = [
    tools.shell('echo the tide is $((6 * 7))'),
    ...(tools.findLookup === undefined ? [] : [tools.findLookup]),
    tools.lookup(7),
    tools.write(join(folder, 'notes.txt'), notes),
  ];
  const answers = [...calls.map(written), message];
  return { prompt: `Write shell 7 down. ${directive({ answers })}`, message };
}

/** The session goes on with another prompt. */
export function resumeScenario(): Scenario {
  const message = 'It was a whelk.';
  return { prompt: `Which shell was it? ${directive({ answer: message })}`, message };
}

/** A response, and the number of tokens after which it is held. */
interface HeldResponse {
  readonly answer: string;
  readonly hold_at: number;
}

export const heldMessage: HeldResponse = { answer: 'Once upon a time there was a shell.', hold_at: 4 };

/** A call that is held in its arguments. */
export function heldCall({ tools }: Agent): HeldResponse {
  return { answer: written(tools.shell('echo once upon a time there was a shell')), hold_at: 16 };
}

/** The model stops in the middle of a response until the request ends; `tag` names the request. */
export function heldPrompt(held: HeldResponse, tag: string): string {
  return `Tell me a story. ${directive({ ...held, tag })}`;
}
