import { expect, it } from 'vitest';
import { withRooms } from './rooms-picture.mjs';

const marks = ['<!-- rooms: written by npm run docs from scripts/rooms.mjs -->', '<!-- end of rooms -->'];
const rooms = {
  main: { holds: 'the program', imports: ['cli', 'side', 'inner/low'] },
  cli: { holds: 'commands', imports: ['inner/low', 'inner/deep'] },
  side: { holds: 'something', imports: [] },
  'inner/low': { holds: 'the rest', imports: [] },
  'inner/deep': { holds: 'files', imports: [] },
};

it('draws the rooms between its marks, each in a layer below those that import it', () => {
  const written = withRooms(`# Page\n\n${marks[0]}\n\nold\n\n${marks[1]}\n\nMore.\n`, rooms);
  expect(written).toBe(`# Page

${marks[0]}

<!-- not run: a picture -->

\`\`\`text
main
cli   side
inner/{low, deep}
\`\`\`

| room         | holds       |
| ------------ | ----------- |
| \`main.ts\`    | the program |
| \`cli\`        | commands    |
| \`side\`       | something   |
| \`inner/low\`  | the rest    |
| \`inner/deep\` | files       |

${marks[1]}

More.
`);
  expect(withRooms(written, rooms)).toBe(written);
});

it('says which marks are missing', () => {
  expect(() => withRooms('# Page\n', rooms)).toThrow(
    `docs/architecture.md needs the lines ${marks[0]} and ${marks[1]}.`,
  );
});
