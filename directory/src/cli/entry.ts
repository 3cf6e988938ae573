import { setTimeout } from 'node:timers/promises';
import { say, UsageError } from 'probity/command-line';
import { type ContractVersion, visible } from 'probity/model';
import type { Db } from '../db/tables.ts';
import { contractVersions } from '../entries/contracts.ts';
import { sharingEndpoint } from '../entries/duplicates.ts';
import type { Entry } from '../entries/entries.ts';
import { lookAlikeNames } from '../entries/look-alikes.ts';
import { readLog } from '../entries/operator-log.ts';
import { readHistory } from '../entries/results.ts';
import { CALLER_PRIORITY } from '../jobs/queues.ts';
import { SILENT, startJobs } from '../jobs/start-jobs.ts';
import { joinTest, plannedKey, testState } from '../jobs/tests.ts';
import { requireKnown } from './known-entry.ts';
import { awaitsWords, figuresOf, reasonsOf } from './list.ts';
import { lineOf } from './log.ts';
import { print } from './print.ts';
import { commandFor, completed, type StoreFlags, withStore } from './store-flags.ts';

const SHOWN_TESTS = 10;
const SHOWN_ACTIONS = 20;

/** Prints what the directory knows about an entry, and what the operator decided. */
export async function show(id: string, flags: StoreFlags & { readonly json?: boolean }): Promise<void> {
  await withStore(flags, async ({ db }) => {
    const entry = await requireKnown(db, id, flags);
    const actions = await readLog(db, { entryId: id, max: SHOWN_ACTIONS });
    const tests = await readHistory(db, id, SHOWN_TESTS);
    const contracts = await contractVersions(db, id);
    const duplicates = await sharingEndpoint(db, entry.endpoint, id);
    const alike = await lookAlikeNames(db, [entry]);
    const lookAlikes = alike.map(({ known: other }) => other);
    const known = { actions, tests, contracts, duplicates, lookAlikes };
    if (flags.json === true) await print(`${JSON.stringify(shown(entry, known))}\n`);
    else
      await print(
        `${linesOf(entry, known)
          .map((line) => completed(line, flags))
          .join('\n')}\n`,
      );
  });
}

interface Known {
  readonly actions: Awaited<ReturnType<typeof readLog>>;
  readonly tests: Awaited<ReturnType<typeof readHistory>>;
  readonly contracts: readonly ContractVersion[];
  /** Ids of other entries with the same endpoint. */
  readonly duplicates: readonly string[];
  /** Ids of listed entries whose names look like this one. */
  readonly lookAlikes: readonly string[];
}

function shown(entry: Entry, { actions, tests, contracts, duplicates, lookAlikes }: Known): object {
  const figures = { uptime: entry.uptime, responseTimeMs: entry.response_time_ms };
  return {
    id: entry.id,
    endpoint: entry.endpoint,
    decision: entry.decision,
    awaitsFigures: entry.awaits_figures,
    decidedBy: entry.decided_by,
    publicReason: entry.public_reason,
    operatorActions: actions,
    rows: entry.judgement,
    status: entry.status,
    pauseReason: entry.pause_reason,
    pausedUntil: entry.paused_until,
    gate: entry.gate,
    missing: entry.missing,
    doubt: entry.doubt,
    duplicates,
    lookAlikes,
    observed: entry.figures_claimed ? null : figures,
    claimed: entry.figures_claimed ? figures : null,
    addedAt: entry.added_at,
    nextProbeAt: entry.next_probe_at,
    nextTestAt: entry.accepts_tests ? entry.next_test_at : null,
    contracts,
    tests,
    listing: entry.listing,
  };
}

function linesOf(
  entry: Entry,
  { actions, tests, contracts, duplicates, lookAlikes }: Known,
): readonly string[] {
  const figures = figuresOf({
    uptime: entry.uptime,
    responseTimeMs: entry.response_time_ms,
    figuresClaimed: entry.figures_claimed,
  });
  return [
    `${entry.id}  ${visible(entry.name)}`,
    `endpoint     ${entry.endpoint}`,
    `decision     ${decisionOf(entry)}`,
    ...(entry.awaits_figures ? [] : reasonsOf(entry.decision, entry.judgement)).map(
      (reason) => `             ${reason}`,
    ),
    ...(entry.public_reason === null ? [] : [`             for everybody: ${visible(entry.public_reason)}`]),
    `status       ${entry.status}${entry.paused_until === null ? '' : ` until ${entry.paused_until.toISOString()}`}`,
    ...(entry.pause_reason === null ? [] : [`             for everybody: ${visible(entry.pause_reason)}`]),
    ...(entry.gate === null ? [] : [`             ${visible(entry.gate.remedy)}`]),
    ...entry.missing.map((missing) => `             ${visible(missing)}`),
    ...doubtLine(entry),
    ...duplicates.map((other) => `same as      ${other}, which has the same endpoint`),
    ...lookAlikes.map((other) => `looks like   ${other}, by its name`),
    `figures      ${figures}`,
    `next probe   ${entry.next_probe_at.toISOString()}`,
    `next test    ${entry.accepts_tests ? entry.next_test_at.toISOString() : 'none: its author refuses tests'}`,
    ...actions.map((action) => `operator     ${lineOf(action)}`),
    ...contracts.slice(0, SHOWN_CONTRACTS).map(contractLine),
    ...tests.map(
      ({ startedAt, verdict, decision, reachable, summary: { passed, failed } }) =>
        `test         ${startedAt}  ${verdict}, ${decision}${reachable ? '' : ', unreachable'}, ${passed} passed, ${failed} failed`,
    ),
  ];
}

function decisionOf({ decision, decided_by, awaits_figures }: Entry): string {
  return awaits_figures
    ? awaitsWords({ decidedBy: decided_by })
    : `${decision}, by ${decided_by === 'checks' ? 'the listing checks' : 'the operator'}`;
}

function doubtLine({ doubt }: Entry): readonly string[] {
  if (doubt === null) return [];
  const { looks, outages, decision, reason } = doubt;
  const tests = looks === 1 ? 'the last test' : `the last ${looks} tests`;
  const away = outages === 0 ? '' : `, with the server away for a time in ${outages}`;
  return [`doubt        ${tests} would ${decision} it${away}: ${visible(reason)}`];
}

const SHOWN_CONTRACTS = 5;

function contractLine({ seenAt, worst, isSuspicious, changeCount, changes }: ContractVersion): string {
  if (worst === null) return `contract     ${seenAt}  first seen`;
  const [first] = changes;
  const name = first?.name == null ? '' : `${visible(first.name)}: `;
  const more = changeCount > 1 ? ` and ${changeCount - 1} more` : '';
  const doubt = isSuspicious ? ', suspicious' : '';
  return `contract     ${seenAt}  ${worst}${doubt}: ${name}${visible(first?.message ?? '')}${more}`;
}

const POLL_MS = 500;

/** Puts a test at the front of the queue of a running service or worker, and waits for its result. */
export async function test(
  id: string,
  { wait, ...flags }: StoreFlags & { readonly wait: number },
): Promise<void> {
  await withStore(flags, async (store) => {
    const { db } = store;
    refuseUntestable(await requireKnown(db, id, flags), flags);
    const jobs = await startJobs(store, SILENT, { works: false });
    try {
      const sent = await jobs.send('test', {
        key: plannedKey(id),
        data: { entryId: id, samples: null, traceparent: null },
        priority: CALLER_PRIORITY,
      });
      const jobId = sent ?? (await joinTest(db, id, { traceparent: null, hasInput: false }));
      if (jobId === null || !(await endsWithResult(db, { jobId, id }, { wait, ...flags })))
        throw withoutResult(await requireKnown(db, id, flags), flags);
    } finally {
      await jobs.stop();
    }
    const [last] = await readHistory(db, id, 1);
    const entry = await requireKnown(db, id, flags);
    if (last === undefined) throw withoutResult(entry, flags);
    const { verdict, startedAt, summary } = last;
    await print(
      `${id}  ${verdict}  ${entry.decision}  ${summary.passed} passed, ${summary.failed} failed, tested ${startedAt}\n`,
    );
    for (const reason of reasonsOf(entry.decision, entry.judgement)) say(`  ${completed(reason, flags)}`);
  });
}

/** A running service would leave out the test without a word. */
function refuseUntestable(
  { id, status, paused_until: until, accepts_tests }: Entry,
  flags: StoreFlags,
): void {
  if (status === 'paused')
    throw new UsageError(
      `${id} is paused${until === null ? '' : ` until ${until.toISOString()}`}, and is not tested. Resume it with: ${commandFor(`resume ${id} --reason 'the pause is over'`, flags)}`,
    );
  if (!accepts_tests)
    throw new UsageError(
      `The listing of ${id} refuses tests (tests: false), and the policy allows that (mayRefuseTests). List it without a test with: ${commandFor(`approve ${id} --reason 'known to be good'`, flags)}`,
    );
}

/** An earlier result must not look like that of this test. */
function withoutResult(entry: Entry, flags: StoreFlags): UsageError {
  refuseUntestable(entry, flags);
  return new UsageError(
    `${entry.id} was not tested: it was tested too often in the last minute, its address is refused, its listing was changed meanwhile, or the test failed. The log of the service says more; the results of earlier tests are in: ${commandFor(`show ${entry.id}`, flags)}`,
  );
}

/** Waits for the end of a test; false: it ended without a result that is stored. */
async function endsWithResult(
  db: Db,
  { jobId, id }: { readonly jobId: string; readonly id: string },
  { wait: waitSeconds, ...flags }: StoreFlags & { readonly wait: number },
): Promise<boolean> {
  const endsAtMs = performance.now() + waitSeconds * 1000;
  for (;;) {
    const state = await testState(db, jobId);
    const { kind } = state;
    if (kind === 'closed')
      throw new UsageError(
        `Not tested: this server, or others of its host, asked not to be called until ${state.until.toISOString()}. Test it after that.`,
      );
    if (kind !== 'waiting' && kind !== 'running') return kind === 'stored';
    if (performance.now() > endsAtMs)
      throw new UsageError(
        kind === 'waiting'
          ? state.isHostBusy
            ? `No test began within ${waitSeconds} s, because of other requests to the host of this server; it stays in the queue.`
            : `No test began within ${waitSeconds} s; it stays in the queue. Run a service on this store: ${commandFor('serve', flags)}`
          : `The test did not end within ${waitSeconds} s. Its result will be in: ${commandFor(`show ${id}`, flags)}`,
      );
    await setTimeout(POLL_MS);
  }
}
