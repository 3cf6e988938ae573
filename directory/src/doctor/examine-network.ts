import { createLiveProbe, DEFAULT_BOUNDS, givenHeaders, plainRead, systemClock } from 'probity/service';
import { allRows } from '../db/rows.ts';
import type { Db } from '../db/tables.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const MAX_ASKED = 5;
const TIMEOUT_MS = 5000;
const NAME_FAILURES: ReadonlySet<string> = new Set(['name-lookup-failed', 'name-not-found']);

/** How the directory may reach servers. */
export interface Outbound {
  readonly publicOnly: boolean;
  readonly ca: string | null;
}

/**
 * Reads /health of a few listed servers on different hosts: if none of them can be reached, the fault is likely on this
 * side. No other host is asked.
 */
export async function examineNetwork(db: Db, outbound: Outbound): Promise<readonly Finding[]> {
  const targets = await allRows<{ id: string; endpoint: string }>(db)`
    select distinct on (substring(endpoint from '^[^/]*//[^/]*')) id, endpoint from entries
    where decision <> 'reject' and not is_paused
    order by substring(endpoint from '^[^/]*//[^/]*'), (status = 'up') desc, id limit 100`;
  if (targets.length === 0)
    return [
      warning(
        'network',
        'not examined, because there is no server to ask',
        'Add a server, and examine it again.',
      ),
    ];
  const asked = targets.slice(0, MAX_ASKED);
  const outcomes = await Promise.all(asked.map(({ endpoint }) => ask(endpoint, outbound)));
  return [names(outcomes), connections(outcomes)];
}

/** The code of the failure; null: an answer. */
async function ask(endpoint: string, { publicOnly, ca }: Outbound): Promise<string | null> {
  const probe = createLiveProbe({
    clock: systemClock,
    ...givenHeaders({}),
    bounds: { ...DEFAULT_BOUNDS, maxBodyBytes: 64 * 1024 },
    publicOnly,
    ca,
    signal: AbortSignal.timeout(2 * TIMEOUT_MS),
  });
  const exchange = await probe.send(
    plainRead(`${endpoint.replace(/\/+$/, '')}/health`, 'doctor', TIMEOUT_MS),
  );
  return exchange.kind === 'answered' ? null : exchange.reason.code;
}

function names(outcomes: readonly (string | null)[]): Finding {
  const failed = outcomes.filter((code) => code !== null && NAME_FAILURES.has(code)).length;
  const text = `the names of ${outcomes.length - failed} of ${outcomes.length} servers were found`;
  if (failed === 0) return ok('DNS', text);
  return failed === outcomes.length
    ? problem('DNS', text, 'Look at /etc/resolv.conf, and whether this machine may ask its name servers.')
    : warning('DNS', text, 'Some names may be gone; the others were found.');
}

function connections(outcomes: readonly (string | null)[]): Finding {
  const answered = outcomes.filter((code) => code === null).length;
  const codes = [...new Set(outcomes.filter((code) => code !== null))];
  const text = `${answered} of ${outcomes.length} servers answered${codes.length === 0 ? '' : ` (otherwise ${codes.join(', ')})`}`;
  return answered > 0
    ? ok('outbound', text)
    : problem(
        'outbound',
        text,
        'Allow outbound connections to these servers. Servers on private addresses need --allow-private.',
      );
}
