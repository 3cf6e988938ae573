/** Waits until the text is written, so that a long output does not pile up in memory. */
export function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
}
