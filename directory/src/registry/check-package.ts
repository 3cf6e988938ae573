import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { shorten, type TestResult, visible } from 'probity/model';
import { expiryOfTest } from '../checking/conduct-test.ts';
import { reportBytes } from '../checking/keep-result.ts';
import { oneRow } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { coveredPercentage } from '../entries/results.ts';
import type { Service } from '../http/service.ts';
import { type Attempt, endAttempt } from '../jobs/attempts.ts';
import type { Jobs, Log } from '../jobs/start-jobs.ts';
import type { Ending, Handler } from '../jobs/work-queue.ts';
import { PACKAGE_TYPES, type PackageCommand } from '../settings/settings.ts';
import { keepPackageCheck, type PackageCheck, readPackage, takeDuePackages } from './package-checks.ts';
import { launchOf } from './package-launch.ts';

const zip = promisify(gzip);

/** How many packages wait in the queue; the others are due in their rows. */
const MAX_WAITING = 100;

/** The part of its time in which a package must give its first answer: it may be fetched, or unpacked, before that. */
const STARTING_SHARE = 0.5;
const MAX_FINDINGS = 20;
const MAX_MESSAGE = 500;

/** Checks the packages of followed registries, where the operator has a command for them; without one, runs nothing. */
export function createPackageChecks(service: Service, jobs: Jobs, log: Log): Handler<'package-check'> {
  const { store, settings } = service;
  const types = PACKAGE_TYPES.filter((type) => settings.packageCommands[type] !== undefined);
  return async (attempt, signal) => {
    const { name } = attempt.data;
    if (types.length === 0) return 'done';
    if (name !== undefined) return checkPackage(service, attempt, name, signal, log);
    await store.db.transaction().execute(async (db) => {
      const max = MAX_WAITING - (await waiting(db));
      if (max <= 0) return;
      const names = await takeDuePackages(db, types, { everyMs: settings.testEveryMs, max });
      const expireInSeconds = expiryOfTest(settings);
      await jobs.insert(
        db,
        'package-check',
        names.map((one) => ({ key: one, data: { name: one }, expireInSeconds })),
      );
      await jobs.wake(db, 'package-check');
    });
    return 'done';
  };
}

async function waiting(db: Db): Promise<number> {
  const { count } = await oneRow<{ count: number }>(db)`
    select count(*)::integer as count from pgboss.job where name = 'package-check' and state < 'active'`;
  return count;
}

async function checkPackage(
  service: Service,
  attempt: Attempt<'package-check'>,
  name: string,
  signal: AbortSignal,
  log: Log,
): Promise<Ending> {
  const { store, settings } = service;
  const known = await readPackage(store.db, name);
  if (known === null) return 'done';
  const launch = launchOf(known.document, settings);
  const result = launch.kind === 'run' ? await runPackage(service, launch, signal) : null;
  // What an interrupted check did not see must not count against the package.
  if (signal.aborted) return 'interrupted';
  const check =
    result === null ? notRun(launch.kind === 'undecided' ? launch.reason : null) : checkOf(result);
  const body = result === null ? null : await zip(reportBytes(result));
  await store.db.transaction().execute(async (db) => {
    if (await endAttempt(db, attempt)) await keepPackageCheck(db, name, check, { md5: known.md5, body });
  });
  log.info({ name, verdict: check.verdict }, 'a package was checked');
  return 'ended';
}

async function runPackage(
  { checks, settings: { testDeadlineMs } }: Service,
  { command, label }: { readonly command: PackageCommand; readonly label: string },
  signal: AbortSignal,
): Promise<TestResult> {
  // Not that of this process, which may have files that a package would find, or write over.
  const cwd = await mkdtemp(path.join(tmpdir(), 'probity-package-'));
  try {
    return await checks.check(label, {
      deadlineMs: testDeadlineMs,
      latency: { off: true },
      mcp: { command, cwd, startTimeoutMs: testDeadlineMs * STARTING_SHARE },
      signal,
    });
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

/** Without a reason, no command of the operator is for it. */
function notRun(reason: string | null): PackageCheck {
  const verdict = reason === null ? 'unchecked' : 'undecided';
  return { verdict, reason, coverage: null, summary: null, findings: [] };
}

function checkOf(result: TestResult): PackageCheck {
  const { verdict, coverage = null, summary, findings, exchanges } = result;
  const common = {
    summary,
    findings: findings.slice(0, MAX_FINDINGS).map(({ id, severity, outcome, subject, message }) => ({
      id,
      severity,
      outcome,
      subject,
      message: shorten(visible(message), MAX_MESSAGE),
    })),
  };
  // Not `reachable`, which a check that was stopped at its deadline leaves open.
  const hasAnswered = exchanges.some((one) => one.kind === 'answered' || (one.heard ?? []).length > 0);
  if (hasAnswered) return { ...common, verdict, reason: null, coverage: coveredPercentage(coverage) };
  // The command of the operator may be at fault: a sandbox without a network, or a program that is not installed.
  return { ...common, verdict: 'undecided', reason: `it gave no answer: ${whyNone(result)}`, coverage: null };
}

function whyNone({ exchanges }: TestResult): string {
  const [reason] = exchanges.flatMap((one) => (one.kind === 'unanswered' ? one.reason.message : []));
  return shorten(visible(reason ?? 'nothing was asked'), MAX_MESSAGE);
}
