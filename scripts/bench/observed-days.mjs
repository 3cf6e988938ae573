// The observations of simulated days of a fleet: their size, the time of closing an hour, and whether all figures equal
// a naive calculation.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { importSources } from './built-from-sources.mjs';
import { judged, median, ms, note, percentile } from './sheet.mjs';

const DAYS = 30;
const MEGABYTE = 1_000_000;
const MAX_FIGURES_MS = 10;

export async function observedDays(entries = 12_200) {
  const { simulateDays, startCluster } = await importSources('directory/bench/observed-days-store.ts');
  console.log(`\nobserved-days: ${entries} entries, ${DAYS} days of probes every 5 minutes, PostgreSQL`);
  const cluster = await startCluster({ fast: false });
  const folder = mkdtempSync(path.join(os.tmpdir(), 'probity-bench-'));
  try {
    const simulated = await simulateDays(cluster.url, folder, { entries, days: DAYS });
    const { observations, closingMs, sizesBytes, figuresMs, different } = simulated;
    note('observations', String(observations));
    for (const [table, bytes] of Object.entries(sizesBytes))
      note(
        `size of ${table}`,
        `${(bytes / MEGABYTE).toFixed(0)} MB, ${(bytes / entries).toFixed(0)} bytes an entry`,
      );
    note(
      'closing an hour',
      `${[median(closingMs), Math.max(...closingMs)].map(ms).join(' / ')} (median, longest)`,
    );
    judged(
      'figures of an entry',
      `${[median(figuresMs), percentile(figuresMs, 99)].map(ms).join(' / ')} (median, p99)`,
      median(figuresMs) < MAX_FIGURES_MS,
      `${MAX_FIGURES_MS} ms at the median`,
    );
    judged(
      'entries whose figures differ',
      `${different.length} of ${entries}${different.length === 0 ? '' : `, such as ${different.slice(0, 3).join(', ')}`}`,
      different.length === 0,
      'none',
    );
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
