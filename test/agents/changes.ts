import { type Recording, readRecording, writeRecording } from './recording.ts';
import { changesBetween, shapeOf } from './shape.ts';

/** What a client sends that its recording lacks. With CONCH_TEST_RECORD set, the recording is replaced before. */
export function additionsTo({ client, version, requests }: Recording): {
  readonly recordedVersion: string;
  readonly added: readonly string[];
} {
  if (process.env['CONCH_TEST_RECORD'] !== undefined) writeRecording({ client, version, requests });
  const recorded = readRecording(client);
  const changes = changesBetween(shapeOf(recorded.requests), shapeOf(requests));
  // What a client sends on the side may come after its end.
  return { recordedVersion: recorded.version, added: changes.filter((change) => change.startsWith('+')) };
}
