/** Waits until the text is written, so that a long output does not pile up in memory. */
export function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
}

/** A table in CSV, by the names of its columns: its head, and a line for each row. */
export function csvTable<Row>(columns: Readonly<Record<string, (row: Row) => string | null>>) {
  const lineOf = (fields: readonly string[]): string => `${fields.join(',')}\r\n`;
  return {
    head: lineOf(Object.keys(columns)),
    line: (row: Row): string => lineOf(Object.values(columns).map((read) => field(read(row) ?? ''))),
  };
}

/** Quoted, and never a formula: texts of authors must not act in the program that opens the file. */
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
