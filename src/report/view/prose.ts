/** A piece of a text of the product or of a user’s suite, in which code is between backticks. */
export interface ProsePart {
  readonly text: string;
  readonly isCode: boolean;
}

/** Pure. */
export function proseParts(text: string): readonly ProsePart[] {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) => ({ text: part, isCode: index % 2 === 1 }))
    .filter((part) => part.text !== '');
}
