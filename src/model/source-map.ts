import { matchesGlob } from '../text/glob.ts';

/** Where functions and requirements are implemented in the user's files; the first glob that matches counts. */
export interface SourceMap {
  readonly functions: readonly SourceRule[];
  readonly requirements: readonly SourceRule[];
}

export interface SourcePlace {
  /** Relative to the folder of the run, with `/`. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

export interface SourceRule extends SourcePlace {
  readonly glob: string;
}

/** A place, written as `src/health.ts` or `src/health.ts:12`. */
export function parseSourcePlace(text: string): SourcePlace {
  const [, file = text, line = '1'] = /^(.+?)(?::(\d+))?$/.exec(text) ?? [];
  return { file, line: Number(line) };
}

/** Null if nothing matches. A function is more specific than a requirement. */
export function sourceOf(
  sources: SourceMap | undefined,
  id: string,
  functionName: string | undefined,
): SourcePlace | null {
  if (sources === undefined) return null;
  const find = (rules: readonly SourceRule[], name: string): SourceRule | undefined =>
    rules.find(({ glob }) => matchesGlob(glob, name));
  const ofFunction = functionName === undefined ? undefined : find(sources.functions, functionName);
  return ofFunction ?? find(sources.requirements, id) ?? null;
}
