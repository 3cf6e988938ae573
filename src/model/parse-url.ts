/** Null where the text is no URL. `URL.canParse` of Node 20 refuses some texts beyond ASCII once it is optimised. */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
