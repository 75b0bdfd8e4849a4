/** Name, root and parent of every model in the list. */
export async function listed(url: string): Promise<[string, string, string | null][]> {
  const response = await fetch(`${url}/v1/models`);
  const { data } = (await response.json()) as { data: { id: string; root: string; parent: string | null }[] };
  return data.map(({ id, root, parent }) => [id, root, parent]);
}
