import { type TestResult, targetKindOf } from '../model/report.ts';
import type { Suite, TargetKind } from '../model/suite.ts';
import { loadSuites } from '../suite/load-suites.ts';
import { judgeReport } from './judge-report.ts';

export type SuitesFor = (kind: TargetKind) => Promise<readonly Suite[]>;

/** The suites of the product and of the user, which are read once for each kind of target. */
export function suitesWith(files: readonly string[]): SuitesFor {
  const known = new Map<TargetKind, Promise<readonly Suite[]>>();
  return (kind) => {
    const suites = known.get(kind) ?? loadSuites(files, kind).then((loaded) => loaded.suites);
    known.set(kind, suites);
    return suites;
  };
}

export interface JudgedAgain {
  readonly result: TestResult;
  /** Suites that have changed since the report was made. */
  readonly changed: readonly string[];
}

/** @throws ExpectedError if the suites cannot be read, or decide no requirement of the report */
export async function judgeAgain(saved: TestResult, suitesFor: SuitesFor): Promise<JudgedAgain> {
  const suites = await suitesFor(targetKindOf(saved.settings));
  const changed = saved.suites
    .filter(({ id, digest }) => suites.find((suite) => suite.id === id)?.digest !== digest)
    .map(({ id }) => id);
  return { result: await judgeReport(saved, suites), changed };
}
