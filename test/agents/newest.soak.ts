import { newestAgents } from './install.ts';
import { readRecording } from './recording.ts';
import { changesBetween, shapeOf } from './shape.ts';
import { describeAgents } from './suite.ts';

// The newest version of each client. What it sends and the recorded version does not, or the reverse, is printed.

describeAgents({
  install: newestAgents,
  onRecording: ({ client, version, requests }) => {
    const recorded = readRecording(client);
    const changes = changesBetween(shapeOf(recorded.requests), shapeOf(requests));
    const title = `${client}: ${recorded.version} is recorded, ${version} is the newest. `;
    console.log(title + (changes.length === 0 ? 'It sends the same.' : `What changed:\n${changes.join('\n')}`));
  },
});
