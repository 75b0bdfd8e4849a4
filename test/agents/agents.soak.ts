import { describe, expect, it } from 'vitest';
import { additionsTo } from './changes.ts';
import { pinnedAgents } from './install.ts';
import type { Recording } from './recording.ts';
import { describeAgents } from './suite.ts';

// The clients of test/agents/package-lock.json. With CONCH_TEST_RECORD set, what they send replaces the recordings.

const recordings: Recording[] = [];

describeAgents({ install: pinnedAgents, onRecording: (recording) => recordings.push(recording) });

describe('the recordings', () => {
  it('are what the clients send', () => {
    for (const recording of recordings) {
      const { client, version } = recording;
      expect({ client, ...additionsTo(recording) }).toEqual({ client, recordedVersion: version, added: [] });
    }
  });
});
