// Saves responses, always 100 at a time, and prints the id of each when it is durable.
// Arguments: the place, the prefix of the ids, how many; with none it goes on until it is killed.
import { openStore } from '../../dist/responses/store/open-store.js';

const [location = '', prefix = '', count = 'Infinity'] = process.argv.slice(2);
const store = await openStore(location, { maxAge: 1_000_000_000, maxSize: 2 ** 40 });
let next = 0;

async function saveOneByOne() {
  while (next < Number(count)) {
    const id = `${prefix}${next++}`;
    const response = { id, text: id.repeat(2000) };
    await store.save({
      id,
      owner: 'ann',
      created: 2_000_000_000,
      previousId: null,
      response,
      input: [{ id, text: id }],
    });
    process.stdout.write(`${id}\n`);
  }
}

await Promise.all(Array.from({ length: 100 }, saveOneByOne));
await store.close();
