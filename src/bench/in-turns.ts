/** How many are done at a time: enough to keep a counter busy, few enough not to drown a server. */
const atATime = 16;

/** Does a work for each item, some at a time; the results stand in the order of the items. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += atATime)
    results.push(...(await Promise.all(items.slice(at, at + atATime).map(work))));
  return results;
}
