/** Names in quotes, the first few of many. */
export function quoted(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((name) => JSON.stringify(name));
  return names.length > shown.length
    ? `${shown.join(', ')} and ${names.length - shown.length} more`
    : shown.join(', ');
}
