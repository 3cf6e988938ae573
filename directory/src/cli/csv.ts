export function csvLine(values: readonly (string | null)[]): string {
  return `${values.map((value) => (value === null ? '' : field(value))).join(',')}\r\n`;
}

/** Quoted, and never a formula: texts of authors must not act in the program that opens the file. */
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
