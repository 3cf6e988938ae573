/** Of English text and JSON, which is what definitions are. */
const CHARACTERS_PER_TOKEN = 4;

/** An estimate of the tokens of a text. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
