import { ApiError } from '../../errors.ts';
import type { ResponseObject } from '../../openai/responses/response-object.ts';
import { BackgroundRun } from './background-run.ts';

/** The most responses that are made in the background at a time. */
const mostRuns = 1000;

/** The responses that are being made in the background of this process. */
export class BackgroundRuns {
  readonly #runs = new Map<string, BackgroundRun>();

  /** Starts one, which is known from before it begins until it is kept. */
  start(options: ConstructorParameters<typeof BackgroundRun>[0]): BackgroundRun {
    if (this.#runs.size >= mostRuns)
      throw new ApiError('rate_limit_exceeded', 'background: too many responses are being made. Try again later.', {
        param: 'background',
        retryAfter: 5,
      });
    const { id } = options.job.options.head;
    const run = new BackgroundRun(options);
    this.#runs.set(id, run);
    void run.done().finally(() => this.#runs.delete(id));
    return run;
  }

  find(owner: string, id: string): BackgroundRun | undefined {
    const run = this.#runs.get(id);
    return run?.owner === owner ? run : undefined;
  }

  /** Ends them all when the process is to stop; they are kept as failed. */
  async close(): Promise<void> {
    const fault = new ApiError('server_not_ready', 'The server was stopped before the response was complete.');
    await Promise.all([...this.#runs.values()].map((run) => run.cancel(fault)));
  }
}

/** A response that was kept while it was made, and that nobody makes any more, has failed. */
export function withoutStale(response: ResponseObject, oldest: number): ResponseObject {
  const isOpen = response.status === 'queued' || response.status === 'in_progress';
  if (!isOpen || response.created_at >= oldest) return response;
  const error = { code: 'server_error', message: 'The server stopped before the response was complete.' };
  return { ...response, status: 'failed', error };
}
