import type { Terminal } from '../../serve/terminal.ts';
import { AnswerPrinter } from './answer-printer.ts';
import { ChatFault } from './server.ts';
import type { ChatContext } from './slash-commands.ts';
import { endText, statsText } from './stats.ts';
import type { Talk } from './talk.ts';

interface OnceOptions
  extends Pick<ChatContext, 'conversation' | 'server'>,
    Pick<Talk, 'colours' | 'showsReasoning' | 'showsStats'> {
  readonly terminal: Pick<Terminal, 'write' | 'err' | 'stop' | 'isInteractive' | 'streams'>;
}

/** Sends one prompt. The response goes to standard output, everything else to standard error. Returns the exit code. */
export async function askOnce(question: string, options: OnceOptions): Promise<number> {
  const { conversation, server, terminal, colours, showsReasoning, showsStats } = options;
  const printer = new AnswerPrinter({
    write: (text) => terminal.write(text),
    colours,
    showsReasoning,
    isTerminal: terminal.isInteractive,
  });
  const left = readerLeft(terminal);
  const signal = AbortSignal.any([terminal.stop, left]);
  try {
    const answered = await server.ask(conversation.request(question), {
      signal,
      onPart: (part) => printer.show(part),
    });
    // The reader of the pipe has ended.
    if (left.aborted) return 0;
    printer.end();
    const end = endText(answered, '--set max_tokens=N');
    if (end !== undefined) terminal.err(`(${end})`);
    if (showsStats) terminal.err(`(${statsText(answered)})`);
    return terminal.stop.aborted ? 130 : 0;
  } catch (error) {
    if (!(error instanceof ChatFault)) throw error;
    printer.end();
    terminal.err(`conch: ${error.message}`);
    return 1;
  }
}

/** Aborted when the program that reads the pipe ends, for example `head`. */
function readerLeft({ streams }: OnceOptions['terminal']): AbortSignal {
  const left = new AbortController();
  streams().output.on('error', () => left.abort());
  return left.signal;
}
