import type { RenderedFile } from '../../../src/report/formats/rendered-file.ts';

/** What an independent reader finds in the files of a format. */
export interface Reading {
  /** Everything but texts: it must not depend on what a target says. */
  readonly structure: unknown;
  /** Every text that is shown as text. */
  readonly texts: readonly string[];
  /** What must never be there, each in words. */
  readonly faults: readonly string[];
}

export interface FormatReader {
  read(files: readonly RenderedFile[]): Reading;
  /** How a text of a target is to come out; null where the format tells none. */
  readonly told: ((text: string) => string) | null;
}
