import type { RenderedFile } from '../../../src/report/target-entry.ts';

/** The result of an independent reader of a format. */
export interface Reading {
  /** Everything except texts, which must not depend on text from a target. */
  readonly structure: unknown;
  /** Every text that is shown as text. */
  readonly texts: readonly string[];
  /** Descriptions of forbidden content. */
  readonly faults: readonly string[];
}

export interface FormatReader {
  read(files: readonly RenderedFile[]): Reading;
  /** How a text from a target must appear; null if the format shows none. */
  readonly told: ((text: string) => string) | null;
}
