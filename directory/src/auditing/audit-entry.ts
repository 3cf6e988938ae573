import { createHash } from 'node:crypto';
import { canonicalJson, type HttpExchange, type Json, type JsonObject, type TestResult } from 'probity/model';
import { checkEntry, checkOptions } from '../checking/check-options.ts';
import { expiryOfTest } from '../checking/conduct-test.ts';
import { capabilitiesOfTest } from '../checking/observations-of-test.ts';
import { testSamples } from '../checking/test-samples.ts';
import { gathered } from '../db/gathered.ts';
import { type Entry, readEntries } from '../entries/entries.ts';
import type { Service } from '../http/service.ts';
import { type Attempt, endAttempt, endingOf } from '../jobs/attempts.ts';
import type { Ending, Handler } from '../jobs/work-queue.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import { refusalOf } from '../targets/target-access.ts';
import { readCapabilities, validCapabilities } from '../targets/target-client.ts';
import type { Later, Limited } from '../targets/target-limiter.ts';
import { mayBeOurFault } from '../targets/target-state.ts';
import {
  ASKED_TO_WAIT,
  keepObservedState,
  type ObservedState,
  type Observer,
  OUR_NETWORK,
} from '../watching/observe-target.ts';
import { type AuditTier, type FoundOutcome, keepOutcome, outcomeKept, readAudit } from './audits.ts';
import { putOff } from './conduct-audit.ts';

/** What an audit learns of an entry besides its state. */
type Learned = Pick<FoundOutcome, 'verdict' | 'failed'> & { readonly capabilities: JsonObject | null };

const MAX_WAIT_MS = 60_000;

const NOTHING: Learned = { verdict: null, failed: [], capabilities: null };

/** A worker that takes longer for an entry is considered dead. */
export function expiryOfAudit(tier: AuditTier, settings: ServiceSettings): number {
  return tier === 'health' ? HEALTH_SECONDS : HEALTH_SECONDS + expiryOfTest(settings);
}

/** Two reads, with waits for their leases. */
const HEALTH_SECONDS = 60;

/**
 * Finds out what an audit shows of the entries in the queue `audit`. It stores the outcome, and the state of the target
 * like a probe; it decides nothing about the listing.
 */
export function createAuditing(service: Service, observe: Observer): Handler<'audit'> {
  const { store, settings } = service;
  const { db } = store;
  const tiers = new Map<string, AuditTier>();
  const read = gathered((ids) => readEntries(db, ids));

  const tierOf = async (auditId: string): Promise<AuditTier | null> => {
    const tier = tiers.get(auditId) ?? (await readAudit(db, auditId))?.tier ?? null;
    if (tier !== null) tiers.set(auditId, tier);
    return tier;
  };
  const end = async (
    attempt: Attempt<'audit'>,
    found: FoundOutcome,
    observed?: { readonly entry: Entry; readonly state: ObservedState },
  ): Promise<Ending> => {
    const ending = endingOf(attempt);
    // Nothing else is stored of a target of which nothing is known.
    if (observed === undefined || observed.state.up === null)
      await keepOutcome(db, attempt.data, found, ending);
    else
      await keepObservedState(
        db,
        observed.entry,
        observed.state,
        settings,
        outcomeKept(attempt.data, found, ending),
      );
    return 'ended';
  };
  /** An audit does not wait for a host that asks for much time. */
  const later = async (attempt: Attempt<'audit'>, { afterMs, because }: Later): Promise<Ending> => {
    if (because === 'closed' && afterMs > MAX_WAIT_MS) return end(attempt, plain('undecided', ASKED_TO_WAIT));
    await db.transaction().execute(async (transaction) => {
      if (await endAttempt(transaction, attempt)) await putOff(transaction, attempt.data, afterMs);
    });
    return 'put-off';
  };

  return async (attempt, signal) => {
    const tier = await tierOf(attempt.data.auditId);
    if (tier === null) return 'done';
    const { entryId } = attempt.data;
    const entry = (await read(entryId)).get(entryId);
    if (entry === undefined) return end(attempt, plain('gone', null));
    const refusal = refusalOf(entry, settings);
    if (refusal !== null) return end(attempt, plain('refused', refusal.code));
    const limited = await observe(entry, signal);
    if (limited.kind === 'later') return later(attempt, limited);
    const learned = await learn(service, tier, entry, limited.value, signal);
    if (learned.kind === 'later') return later(attempt, learned);
    if (signal.aborted) return 'interrupted';
    const found = outcomeOf(entry, limited.value, learned.value);
    return end(attempt, found, { entry, state: limited.value });
  };
}

async function learn(
  service: Service,
  tier: AuditTier,
  entry: Entry,
  { exchange, up }: ObservedState,
  signal: AbortSignal,
): Promise<Limited<Learned>> {
  const { limiter, settings } = service;
  if (exchange.kind === 'unanswered' || up === null) return { kind: 'done', value: NOTHING };
  if (tier === 'health') {
    const limited = await limiter.request(entry, () => readCapabilities(entry, service, signal));
    if (limited.kind === 'later') return limited;
    return { kind: 'done', value: { ...NOTHING, capabilities: validCapabilities(limited.value) } };
  }
  const limited = await limiter.test(entry, expiryOfTest(settings) * 1000, () =>
    checkEntry(service, entry, { ...auditOptions(settings, entry, tier), signal }),
  );
  if (limited.kind === 'later') return limited;
  await limiter.heed(entry, limited.value);
  return { kind: 'done', value: learnedFrom(limited.value) };
}

function plain(outcome: FoundOutcome['outcome'], cause: string | null): FoundOutcome {
  const nothing = { verdict: null, failed: [], capabilitiesDigest: null, isChanged: false, isSuspect: false };
  return { outcome, cause, ...nothing };
}

function outcomeOf(
  entry: Entry,
  { exchange, up, cause }: ObservedState,
  { verdict, failed, capabilities }: Learned,
): FoundOutcome {
  const capabilitiesDigest = capabilities === null ? null : digestOf(capabilities);
  return {
    outcome: up === null ? 'undecided' : up ? 'up' : 'down',
    cause,
    verdict,
    failed,
    capabilitiesDigest,
    isChanged:
      capabilitiesDigest !== null &&
      (entry.capabilities === null || capabilitiesDigest !== digestOf(entry.capabilities as Json)),
    isSuspect: up === null && (cause === OUR_NETWORK || (entry.status === 'up' && isOurs(exchange))),
  };
}

function isOurs(exchange: HttpExchange): boolean {
  return exchange.kind === 'unanswered' && mayBeOurFault(exchange);
}

function digestOf(capabilities: Json): string {
  return createHash('sha256').update(canonicalJson(capabilities)).digest('hex');
}

/** Of the budget. On a busy machine, requests of two seconds can arrive at the target within one. */
const SENT_SHARE = 0.5;

/** A stranger's server is audited without the functions that look as if they change something. */
function auditOptions(settings: ServiceSettings, entry: Entry, tier: AuditTier) {
  const { budget } = settings;
  return {
    ...checkOptions(settings, entry, testSamples(entry.listing, null, {})),
    mutating: { default: 'never' as const },
    ...(tier === 'contract' ? { latency: { off: true as const } } : {}),
    ...(budget !== null
      ? {
          requestsPerSecond: Math.max(1, Math.floor(budget.perSecond * SENT_SHARE)),
          concurrency: budget.inFlight,
        }
      : {}),
  };
}

function learnedFrom(result: TestResult): Learned {
  const failed = result.results.filter(({ level, outcome }) => level === 'MUST' && outcome === 'failed');
  return {
    verdict: result.verdict,
    failed: [...new Set(failed.map(({ id }) => id))].sort(),
    capabilities: capabilitiesOfTest(result),
  };
}
