/** A file that a format makes. */
export interface RenderedFile {
  /** What its name ends with, such as `.junit.xml`. */
  readonly suffix: string;
  readonly text: string;
}
