import { listOf, oneOf, record, requireArguments, required, text } from '../../model/arguments.ts';
import { RESULT } from '../../model/report.ts';
import type { RenderedFile } from '../../report/target-entry.ts';
import { type NamedResult, type TargetEntry, targetEntry } from '../../report/target-entry.ts';

/** Each is loaded on demand. */
const INDEXES = {
  html: async () => (await import('../../report/formats/targets-html.tsx')).renderTargetsHtml,
  json: async () => (await import('../../report/formats/json.ts')).renderTargetsJson,
} as const;

export type IndexFormat = keyof typeof INDEXES;

/** An index of several targets. Pure. */
export async function renderTargets(
  entries: readonly TargetEntry[],
  format: IndexFormat,
  notes: readonly string[] = [],
): Promise<readonly RenderedFile[]> {
  return (await INDEXES[format]())(entries, notes);
}

/** Each is loaded on demand. The index has no links here. */
const TOGETHER = {
  ctrf: async () => (await import('../../report/formats/ctrf.ts')).renderCtrfTogether,
  html: async () => indexOf('html'),
  json: async () => indexOf('json'),
  junit: async () => (await import('../../report/formats/junit.ts')).renderJunitTogether,
  markdown: async () => (await import('../../report/formats/markdown.ts')).renderMarkdownTogether,
  sarif: async () => (await import('../../report/formats/sarif.ts')).renderSarifTogether,
  tap: async () => (await import('../../report/formats/tap.ts')).renderTapTogether,
} as const;

async function indexOf(
  format: IndexFormat,
): Promise<(targets: readonly NamedResult[], notes: readonly string[]) => readonly RenderedFile[]> {
  const render = await INDEXES[format]();
  return (targets, notes) =>
    render(
      targets.map(({ name, result }) => targetEntry(result, name, null)),
      notes,
    );
}

export type TogetherFormat = keyof typeof TOGETHER;

export const TOGETHER_FORMATS = Object.keys(TOGETHER) as readonly TogetherFormat[];

/**
 * The results of several targets in one file; for `html` and `json` an index of them. Pure.
 * @throws OptionError when a format holds only one target, or an argument is of the wrong kind
 */
export async function renderTogether(
  targets: readonly NamedResult[],
  format: TogetherFormat,
  notes: readonly string[] = [],
): Promise<readonly RenderedFile[]> {
  requireArguments(
    'renderTogether',
    { targets, format, notes },
    {
      targets: required(listOf(record({ name: required(text), result: RESULT }))),
      format: required(oneOf(...TOGETHER_FORMATS)),
      notes: required(listOf(text)),
    },
  );
  return (await TOGETHER[format]())(targets, notes);
}
