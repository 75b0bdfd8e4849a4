import { expect, it } from 'vitest';
import { withRooms } from './rooms-picture.mjs';

const marks = ['<!-- rooms: written by npm run docs from scripts/rooms.mjs -->', '<!-- end of rooms -->'];
const rooms = {
  main: { holds: 'the program', imports: ['cli', 'inner/low'] },
  cli: { holds: 'commands', imports: ['inner/low'] },
  'inner/low': { holds: 'the rest', imports: [] },
};

it('draws the rooms between its marks, without arrows that follow from others', () => {
  const written = withRooms(`# Page\n\n${marks[0]}\n\nold\n\n${marks[1]}\n\nMore.\n`, rooms);
  expect(written).toBe(`# Page

${marks[0]}

<!-- not run: a picture -->

\`\`\`mermaid
graph TD
  main --> cli
  cli --> inner/low
\`\`\`

| room            | holds       | may import     |
| --------------- | ----------- | -------------- |
| \`src/main.ts\`   | the program | cli, inner/low |
| \`src/cli\`       | commands    | inner/low      |
| \`src/inner/low\` | the rest    | -              |

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
