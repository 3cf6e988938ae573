export interface RenderedFile {
  /** The end of its name, such as `.junit.xml`. */
  readonly suffix: string;
  readonly text: string;
}
