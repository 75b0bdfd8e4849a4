import type { Terminal } from '../../serve/terminal.ts';
import type { ConversationContext } from './conversation-loop.ts';
import { ResponsePrinter } from './response-printer.ts';
import { ChatError } from './server.ts';
import type { ChatContext } from './slash-commands.ts';
import { endText, statsText } from './stats.ts';

interface OnceOptions
  extends Pick<ChatContext, 'conversation' | 'server'>,
    Pick<ConversationContext, 'colours' | 'showsReasoning' | 'showsStats'> {
  readonly terminal: Pick<Terminal, 'write' | 'err' | 'stop' | 'isInteractive' | 'streams'>;
}

/** Sends one prompt. The response goes to standard output, everything else to standard error. Returns the exit code. */
export async function askOnce(prompt: string, options: OnceOptions): Promise<number> {
  const { conversation, server, terminal, colours, showsReasoning, showsStats } = options;
  const printer = new ResponsePrinter({
    write: (text) => terminal.write(text),
    colours,
    showsReasoning,
    isTerminal: terminal.isInteractive,
  });
  const left = readerLeft(terminal);
  const signal = AbortSignal.any([terminal.stop, left]);
  try {
    const result = await server.ask(conversation.request(prompt), {
      signal,
      onPart: (part) => printer.show(part),
    });
    // The reader of the pipe has ended.
    if (left.aborted) return 0;
    printer.end();
    const end = endText(result, '--set max_tokens=N');
    if (end !== undefined) terminal.err(`(${end})`);
    if (showsStats) terminal.err(`(${statsText(result)})`);
    return terminal.stop.aborted ? 130 : 0;
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
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
