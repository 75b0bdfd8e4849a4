import { expect, it } from 'vitest';
import { roomsPicture, roomsTable, withRooms } from './rooms-picture.mjs';

const marks = ['<!-- rooms: written by npm run docs from scripts/rooms.mjs -->', '<!-- end of rooms -->'];
const rooms = {
  main: { holds: 'the program', imports: ['cli', 'side', 'inner/low'] },
  cli: { holds: 'commands', imports: ['inner/low', 'inner/deep'] },
  side: { holds: 'something', imports: [] },
  'inner/low': { holds: 'the rest', imports: [] },
  'inner/deep': { holds: 'files', imports: [] },
};

it('writes a section between its marks', () => {
  const written = withRooms(`# Page\n\n${marks[0]}\n\nold\n\n${marks[1]}\n\nMore.\n`, 'new');
  expect(written).toBe(`# Page\n\n${marks[0]}\n\nnew\n\n${marks[1]}\n\nMore.\n`);
  expect(withRooms(written, 'new')).toBe(written);
});

it('draws each room in a layer below those that import it', () => {
  expect(roomsPicture(rooms)).toBe(`<!-- not run: a picture -->

\`\`\`text
main
cli   side
inner/{low, deep}
\`\`\``);
});

it('lists what each room holds', () => {
  expect(roomsTable(rooms)).toBe(`| room         | holds       |
| ------------ | ----------- |
| \`main.ts\`    | the program |
| \`cli\`        | commands    |
| \`side\`       | something   |
| \`inner/low\`  | the rest    |
| \`inner/deep\` | files       |`);
});

it('says which marks are missing', () => {
  expect(() => withRooms('# Page\n', 'new')).toThrow(`The page of rooms needs the lines ${marks[0]} and ${marks[1]}.`);
});
