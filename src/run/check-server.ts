import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createSchemaEvaluator } from '../checks/schema-evaluator.ts';
import type { TestResult } from '../model/report.ts';
import { createLiveProbe, DEFAULT_BOUNDS } from '../probe/live-probe.ts';
import { systemClock } from '../probe/system-clock.ts';
import { warmUp } from '../probe/warm-up.ts';
import { buildReport } from '../report/build-report.ts';
import { loadSuites } from '../suite/load-suites.ts';
import { harnessVersion } from '../suite/product-files.ts';
import type { CheckOptions } from './check-options.ts';
import { judgeRun } from './judge-run.ts';
import { commonHeaders, givenHeaders, settingsOf, targetUrlOf } from './run-settings.ts';
import { runSuites } from './run-suites.ts';
import { selectSteps } from './selection.ts';

/**
 * Checks a server and returns the test result (specification, section 2.3). Prints and writes nothing.
 *
 * @param url the server's base address, `{server_url}`: http or https, without /health and the like
 * @throws TargetError when the address cannot be a target
 * @throws UnknownPattern when `only` or `skip` names no requirement
 */
export async function checkServer(url: string, options: CheckOptions = {}): Promise<TestResult> {
  const targetUrl = targetUrlOf(url, options.publicOnly ?? false);
  const { signal = new AbortController().signal } = options;
  // Every wait of a run listens to the one signal, and there may be many.
  setMaxListeners(0, signal);
  const settings = settingsOf(options);
  const given = givenHeaders(options);
  const probe = createLiveProbe({
    clock: systemClock,
    signal,
    headers: given.headers,
    secrets: given.secrets,
    publicOnly: settings.publicOnly,
    ...DEFAULT_BOUNDS,
  });
  await warmUp(createLiveProbe({ clock: systemClock, signal, headers: [], secrets: [], ...DEFAULT_BOUNDS }));
  const startedAtMs = systemClock.nowMs();
  const suites = options.suites ?? (await loadSuites()).suites;
  const selection = selectSteps(suites, settings);
  const schemas = createSchemaEvaluator();
  const record = await runSuites({
    selection,
    targetUrl,
    settings,
    probe,
    clock: systemClock,
    signal,
    schemas,
    commonHeaders: commonHeaders(),
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
  });
  const judgements = judgeRun({ record, settings, targetUrl, schemas });
  return buildReport({
    id: randomUUID(),
    harnessVersion: harnessVersion(),
    suites,
    settings,
    targetUrl,
    requirements: selection.requirements,
    record,
    judgements,
    startedAtMs,
    finishedAtMs: systemClock.nowMs(),
  });
}
