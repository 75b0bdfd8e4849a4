/** The JSON text of an object whose own values may be bigints, which JSON.stringify refuses: they are written in full. */
export function objectText(object: Readonly<Record<string, unknown>>): string {
  const values = Object.values(object);
  if (!values.some((value) => typeof value === 'bigint')) return JSON.stringify(object);
  const members = Object.entries(object).flatMap(([name, value]) => {
    const text = typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${members.join(',')}}`;
}
