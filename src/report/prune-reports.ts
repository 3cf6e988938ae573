import { readdir, readFile, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type Json } from '../json/json.ts';
import type { TestResult } from '../model/report.ts';
import { FORMAT_SUFFIXES } from './generated/format-suffixes.ts';
import { seriesName } from './store-report.ts';

export interface Pruning {
  /** The number of reports that are kept, with the one that was just written. */
  readonly keep: number;
  readonly written: string;
  /** Other files that are never deleted. */
  readonly inUse: readonly string[];
}

/**
 * Deletes the oldest reports of the target of a result from the folder of the written one, and returns their names.
 * Only reports beyond `keep` are read, because reports are large: the names show which belong together.
 *
 * @throws the error of the file system when one cannot be deleted
 */
export async function pruneReports(
  result: TestResult,
  { keep, written, inUse }: Pruning,
): Promise<readonly string[]> {
  const folder = path.dirname(written);
  const files = new Set(await readdir(folder));
  const series = seriesName(result);
  const older = [...files]
    .filter((name) => REPORT_NAME.exec(name)?.[1] === series && name !== path.basename(written))
    .toSorted()
    .toReversed()
    .slice(keep - 1);
  if (older.length === 0) return [];
  const spared = new Set(await Promise.all(inUse.map(realPathOf)));
  const deleted: string[] = [];
  for (const name of older) {
    const file = path.join(folder, name);
    const stem = name.slice(0, -'.json'.length);
    const own = [
      name,
      ...FORMAT_SUFFIXES.map((suffix) => `${stem}${suffix}`).filter((other) => files.has(other)),
    ];
    const real = await Promise.all(own.map((one) => realPathOf(path.join(folder, one))));
    if (real.some((one) => spared.has(one)) || !(await isOfTarget(file, result))) continue;
    for (const one of own) await rm(path.join(folder, one), { force: true });
    deleted.push(name);
  }
  return deleted;
}

const REPORT_NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-([A-Za-z0-9.-]+)-[0-9a-f]{8}\.json$/;

/**
 * Another file may have such a name. That the rest of it is a report is not examined: it would take longer than to write
 * the new one.
 */
async function isOfTarget(file: string, result: TestResult): Promise<boolean> {
  const read = await readJson(file);
  if (!isJsonObject(read) || read.schema !== result.schema) return false;
  const { target, settings, bench } = read as unknown as Partial<TestResult>;
  return (
    target?.url === result.target.url &&
    settings?.targetName === result.settings.targetName &&
    (bench === undefined) === (result.bench === undefined)
  );
}

async function readJson(file: string): Promise<Json> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Json;
  } catch {
    return null;
  }
}

async function realPathOf(file: string): Promise<string> {
  return realpath(file).catch(() => path.resolve(file));
}
