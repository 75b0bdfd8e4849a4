import { randomUUID } from 'node:crypto';
import type { Link } from '../link.ts';
import type { GuideFailure, GuideQuarantine, GuideRefusal, NotedFailure, QuarantineState } from './guide-quarantine.ts';

/** A failure, as a process sends it to the others. */
interface SharedFailure {
  readonly sender: string;
  readonly failure: GuideFailure;
}

/** A quarantine that all processes of one Conch share: each has a copy, and sends its notes to the others. */
export class SharedQuarantine {
  readonly #quarantine: GuideQuarantine;
  readonly #link: Link;
  /** The name of this process in messages to the others. */
  readonly #self = randomUUID();

  constructor(quarantine: GuideQuarantine, link: Link) {
    this.#quarantine = quarantine;
    this.#link = link;
    link.register('guides.note', (message) => {
      const { sender, failure } = message as SharedFailure;
      if (sender !== this.#self) quarantine.note(failure);
    });
    link.register('guides.state', () => quarantine.state());
  }

  /** Takes over the state of the other processes. */
  async join(): Promise<void> {
    const { responses } = await this.#link.askAll('guides.state');
    for (const state of responses) this.#quarantine.merge(state as QuarantineState);
  }

  get isOn(): boolean {
    return this.#quarantine.isOn;
  }

  note(failure: GuideFailure): NotedFailure | undefined {
    const noted = this.#quarantine.note(failure);
    const shared: SharedFailure = { sender: this.#self, failure };
    // A process that is not notified relies on its own notes.
    this.#link.askAll('guides.note', shared).catch(() => undefined);
    return noted;
  }

  check(client: string, guide: () => string): GuideRefusal | undefined {
    return this.#quarantine.check(client, guide);
  }
}
