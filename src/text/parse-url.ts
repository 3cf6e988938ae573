/**
 * Returns null if the text is not a URL. It does not use `URL.canParse`, which wrongly refuses some non-ASCII texts in
 * Node 20 once it is optimised.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** A part of a URL without its percent-encoding; null if that is broken. */
export function decodedPart(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
