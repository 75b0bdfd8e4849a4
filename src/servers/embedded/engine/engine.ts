import { availableParallelism } from 'node:os';
import { EngineError } from '../../../engine-error.ts';
import { messageOf } from '../../../thrown.ts';
import type { EngineModule, Llama } from './engine-types.ts';

/** How the engine is loaded. */
export interface EngineOptions {
  /** Loads node-llama-cpp, installs it first if necessary, and reports whether it may use a graphics card. */
  readonly load: () => Promise<{ readonly module: EngineModule; readonly gpu: boolean }>;
  /** Called for each log line of llama.cpp. */
  readonly onLog?: (level: string, message: string) => void;
}

const mostComplaints = 20;

/** llama.cpp in this process, shared by its models. */
export class Engine {
  readonly llama: Llama;
  readonly #complaints: string[];
  #last: Promise<unknown> = Promise.resolve();

  private constructor(llama: Llama, complaints: string[]) {
    this.llama = llama;
    this.#complaints = complaints;
  }

  static async start({ load, onLog }: EngineOptions): Promise<Engine> {
    const complaints: string[] = [];
    const { module, gpu } = await load();
    try {
      const llama = await module.getLlama({
        gpu: gpu ? 'auto' : false,
        build: 'never',
        skipDownload: true,
        progressLogs: false,
        maxThreads: 0,
        logger: (level, message) => {
          if (level === 'error' && complaints.push(message.trim()) > mostComplaints) complaints.shift();
          onLog?.(level, message.trim());
        },
      });
      return new Engine(llama, complaints);
    } catch (error) {
      throw new EngineError(`llama.cpp does not run on this machine: ${messageOf(error)}`, { cause: error });
    }
  }

  /**
   * One thread less than there are cores, and no more than the fast cores. The threads spin while they wait for each
   * other, so with one per core any other process slows all of them down
   * (docs/decisions/embedded-threads.md).
   */
  get defaultThreads(): number {
    return Math.max(1, Math.min(this.llama.cpuMathCores, availableParallelism() - 1));
  }

  /** The error lines that llama.cpp logged since the last call; the errors that it throws do not contain them. */
  takeComplaints(): string[] {
    return this.#complaints.splice(0);
  }

  /** Runs one evaluation at a time, in the order of the calls: the threads of two would spin against each other. */
  readonly exclusively = (work: () => Promise<void>): Promise<void> => {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  };

  async dispose(): Promise<void> {
    await this.#last;
    await this.llama.dispose();
  }
}
