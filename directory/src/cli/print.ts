/** Waits until the text is written, so that a long output does not pile up in memory. */
export function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
}

export function csvLine(values: readonly (string | null)[]): string {
  return `${values.map((value) => (value === null ? '' : field(value))).join(',')}\r\n`;
}

/** Quoted, and never a formula: texts of authors must not act in the program that opens the file. */
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
