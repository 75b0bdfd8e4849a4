import { expect, it } from 'vitest';
import type { Link } from '../link.ts';
import { GuideQuarantine } from './guide-quarantine.ts';
import { SharedQuarantine } from './shared-quarantine.ts';

type Responder = (argument: unknown) => unknown;

/** The links of processes that tell each other everything; a broken one tells nothing. */
function links() {
  const all: Map<string, Responder>[] = [];
  return {
    add(isBroken = false): Link {
      const responders = new Map<string, Responder>();
      all.push(responders);
      return {
        register: (prompt, respond) => responders.set(prompt, respond),
        askAll: async (prompt, argument) => {
          if (isBroken) throw new Error('The primary is gone.');
          // As it comes from another process.
          const sent: unknown = argument === undefined ? undefined : JSON.parse(JSON.stringify(argument));
          return { responses: all.map((process) => process.get(prompt)?.(sent)), missing: 0 };
        },
      };
    },
  };
}

function open(link: Link) {
  const quarantine = new GuideQuarantine({ duration: () => 600_000, now: () => 5_000 });
  return { quarantine, shared: new SharedQuarantine(quarantine, link) };
}

const failure = { guide: 'g', client: 'alice', engine: 'm on one', blamesClient: true, at: 5_000 };
const noted = { guides: [['g', 5_000]], clients: [['alice', 1, 5_000]] };

it('tells all processes what one of them notes, and counts it once in each', () => {
  const network = links();
  const [one, two] = [open(network.add()), open(network.add())];
  expect(one.shared.note(failure)).toEqual({ until: 605_000, suspendedUntil: undefined });
  expect([one.quarantine.state(), two.quarantine.state()]).toEqual([noted, noted]);
  expect(two.shared.check('bob', () => 'g')).toEqual({ kind: 'guide', failedAt: 5_000, until: 605_000 });
  two.shared.note({ ...failure, engine: 'm on two' });
  expect(one.shared.check('alice', () => 'h')).toEqual({ kind: 'client', failures: 2, until: 65_000 });
});

it('does not count what comes back to it late', () => {
  let deliver: Responder = () => undefined;
  let late: unknown;
  const link: Link = {
    register: (prompt, respond) => {
      if (prompt === 'guides.note') deliver = respond;
    },
    askAll: async (_, argument) => {
      late ??= argument;
      return { responses: [], missing: 0 };
    },
  };
  const { quarantine, shared } = open(link);
  shared.note(failure);
  shared.note({ ...failure, engine: 'm on two', at: 9_000 });
  deliver(late);
  expect(quarantine.state().clients).toEqual([['alice', 2, 9_000]]);
});

it('tells a process that begins later', async () => {
  const network = links();
  const one = open(network.add());
  one.shared.note(failure);
  const two = open(network.add());
  expect(two.quarantine.state()).toEqual({ guides: [], clients: [] });
  await two.shared.join();
  expect(two.quarantine.state()).toEqual(noted);
});

it('relies on its own notes where the others cannot be notified', async () => {
  const { quarantine, shared } = open(links().add(true));
  shared.note(failure);
  await expect(shared.join()).rejects.toThrow('The primary is gone.');
  expect(quarantine.state()).toEqual(noted);
});
