/** The dotted number that a version starts with, as numbers: "v1.2.3-beta" gives [1, 2, 3]. */
export function leadingVersion(text: string): readonly number[] | undefined {
  const match = /^\s*v?(\d{1,9}(?:\.\d{1,9})*)/i.exec(text);
  return match?.[1]?.split('.').map(Number);
}
