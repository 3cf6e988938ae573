import type { RenderedFile } from '../report/formats/rendered-file.ts';
import type { TargetEntry } from '../report/target-entry.ts';

/** Each is loaded on demand. */
const INDEXES = {
  html: async () => (await import('../report/formats/targets-html.tsx')).renderTargetsHtml,
  json: async () => (await import('../report/formats/targets-json.ts')).renderTargetsJson,
} as const;

/** An index of several targets. Pure. */
export async function renderTargets(
  entries: readonly TargetEntry[],
  format: keyof typeof INDEXES,
): Promise<readonly RenderedFile[]> {
  return (await INDEXES[format]())(entries);
}
