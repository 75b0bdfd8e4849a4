/** How many items run at a time: enough to keep a counter busy, few enough not to overload a server. */
const atATime = 16;

/** Called with the progress, from 0 to 1. */
export type OnShare = (share: number) => void;

/** Runs a task for each item, some at a time; the results are in the order of the items. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  onShare: OnShare = () => undefined,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += atATime) {
    onShare(at / items.length);
    results.push(...(await Promise.all(items.slice(at, at + atATime).map(work))));
  }
  onShare(1);
  return results;
}
