import { describe, expect, it } from 'vitest';
import { pinnedAgents } from './install.ts';
import { type Recording, readRecording, writeRecording } from './recording.ts';
import { changesBetween, shapeOf } from './shape.ts';
import { describeAgents } from './suite.ts';

// The clients of test/agents/package-lock.json. With CONCH_TEST_RECORD set, what they send replaces the recordings.

const recordings: Recording[] = [];

describeAgents({ install: pinnedAgents, onRecording: (recording) => recordings.push(recording) });

describe('the recordings', () => {
  it('are what the clients send', () => {
    if (process.env['CONCH_TEST_RECORD'] !== undefined) for (const recording of recordings) writeRecording(recording);
    for (const { client, version, requests } of recordings) {
      const recorded = readRecording(client);
      const changes = changesBetween(shapeOf(recorded.requests), shapeOf(requests));
      // What a client sends on the side may come after its end.
      const added = changes.filter((change) => change.startsWith('+'));
      expect({ client, version, added }).toEqual({ client, version: recorded.version, added: [] });
    }
  });
});
