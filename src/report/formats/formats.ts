import { oneOf, requireArguments, required } from '../../model/arguments.ts';
import { RESULT, type TestResult } from '../../model/report.ts';

/** A file that a format makes. */
export interface RenderedFile {
  /** What its name ends with, such as `.junit.xml`. */
  readonly suffix: string;
  readonly text: string;
}

type Renderer = (result: TestResult) => readonly RenderedFile[];

/** Every format by its name; each is loaded when it is asked for. */
const FORMATS = {
  badge: async () => (await import('./badge.ts')).renderBadge,
  ctrf: async () => (await import('./ctrf.ts')).renderCtrf,
  github: async () => (await import('./github.ts')).renderGithub,
  html: async () => (await import('./html.tsx')).renderHtml,
  json: async () => (await import('./json.ts')).renderJson,
  junit: async () => (await import('./junit.ts')).renderJunit,
  markdown: async () => (await import('./markdown.ts')).renderMarkdown,
  sarif: async () => (await import('./sarif.ts')).renderSarif,
  tap: async () => (await import('./tap.ts')).renderTap,
} as const satisfies Readonly<Record<string, () => Promise<Renderer>>>;

export type FormatName = keyof typeof FORMATS;

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[];

/**
 * A result as the files of one format. Pure, and the same for the same result.
 *
 * @throws OptionError when there is no such format
 */
export async function renderFormat(result: TestResult, format: FormatName): Promise<readonly RenderedFile[]> {
  requireArguments(
    'renderFormat',
    { result, format },
    { result: RESULT, format: required(oneOf(...FORMAT_NAMES)) },
  );
  return (await FORMATS[format]())(result);
}
