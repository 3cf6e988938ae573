import { canonicalJson, isJsonObject, type Json } from '../../json/json.ts';
import type { TestResult } from '../../model/report.ts';

export type RunSide = ReturnType<typeof sideOf>;

/** A difference between two results other than their outcomes. */
export interface RunDifference {
  /** Only `target` shows that the server changed; the others concern the run. */
  readonly of: 'target' | 'suites' | 'harness' | 'settings' | 'baseline';
  readonly name: string;
  /** As text; null if there was none. */
  readonly before: string | null;
  readonly after: string | null;
}

export function sideOf(result: TestResult) {
  const { id, startedAt, verdict, reachable, harness } = result;
  return { id, startedAt, verdict, reachable, target: result.target, harnessVersion: harness.version };
}

/** Differences in the target and in the check. Pure. */
export function diffRuns(before: TestResult, after: TestResult): readonly RunDifference[] {
  const [earlier, later] = [valuesOf(before), valuesOf(after)];
  return (Object.keys(earlier) as RunDifference['of'][]).flatMap((of) =>
    differences(of, earlier[of], later[of]),
  );
}

type Values = ReadonlyMap<string, string>;

function valuesOf(result: TestResult): Readonly<Record<RunDifference['of'], Values>> {
  const { url, name, version, mcpVersion, form } = result.target;
  return {
    target: known({
      url,
      name,
      version,
      mcpVersion,
      'form of the descriptors': form.capabilities ?? undefined,
      'form of /execute': form.execute ?? undefined,
    }),
    suites: new Map(result.suites.map(({ id, digest }) => [id, digest])),
    harness: known({ version: result.harness.version }),
    settings: settingValues(result),
    baseline: baselineValues(result),
  };
}

/** The seed differs in every run, and affects only generated values; the places in the user's files affect only formats. */
function settingValues({
  settings: { seed: _, sources: _sources, targetName: _name, files: _files, ...settings },
}: TestResult): Values {
  return new Map(
    Object.entries(settings).flatMap(([name, value]) =>
      isJsonObject(value)
        ? Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, textOf(one)] as const)
        : [[name, textOf(value)] as const],
    ),
  );
}

function textOf(value: unknown): string {
  return canonicalJson(value as Json);
}

function baselineValues({ baseline }: TestResult): Values {
  if (baseline === undefined) return new Map();
  const entries = baseline.entries.map((entry) => canonicalJson(entry as unknown as Json)).toSorted();
  return known({ entries: `${entries.length}: ${entries.join(', ')}` });
}

function known(values: Readonly<Record<string, string | undefined>>): Values {
  return new Map(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function differences(of: RunDifference['of'], before: Values, after: Values): readonly RunDifference[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => ({ of, name, before: before.get(name) ?? null, after: after.get(name) ?? null }));
}
