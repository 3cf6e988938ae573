import type { Exchange } from '../model/exchange.ts';
import { refuseUrl } from '../probe/address-guard.ts';
import { createLiveProbe, DEFAULT_BOUNDS } from '../probe/live-probe.ts';
import { systemClock } from '../probe/system-clock.ts';
import { plainRead } from '../run/plain-read.ts';
import { givenHeaders, targetUrlOf } from '../run/run-settings.ts';
import { Problem } from './problem.ts';
import type { ServiceSettings } from './service-settings.ts';
import { type EntryTarget, targetKeyOf } from './target-key.ts';

type ReadSettings = Pick<ServiceSettings, 'publicOnly' | 'ca' | 'environment' | 'callTimeoutMs'>;

/** Nobody waits longer for a record that says how a server is. */
const MOST_WAIT_MS = 10_000;

/**
 * One GET of a target, with the address guard and the target's key.
 *
 * @throws Problem `target-refused` when the endpoint must not be asked at all
 */
export async function guardedRead(
  target: EntryTarget,
  path: '/health' | '/capabilities',
  settings: ReadSettings,
  signal: AbortSignal = new AbortController().signal,
): Promise<Exchange> {
  refuseTarget(target, settings);
  const url = targetUrlOf(target.endpoint, settings.publicOnly);
  const bearerToken = targetKeyOf(target, settings);
  const { headers, secrets } = givenHeaders(bearerToken === null ? {} : { bearerToken });
  const { publicOnly, ca } = settings;
  const probe = createLiveProbe({
    clock: systemClock,
    headers,
    secrets,
    bounds: DEFAULT_BOUNDS,
    publicOnly,
    ca,
    signal,
  });
  try {
    return await probe.send(
      plainRead(url + path, `directory${path}`, Math.min(MOST_WAIT_MS, settings.callTimeoutMs)),
    );
  } finally {
    probe.close();
  }
}

/** Throws what a caller is told of an endpoint that is not asked, whoever wants it. */
export function refuseTarget(
  { endpoint }: Pick<EntryTarget, 'endpoint'>,
  { publicOnly }: Pick<ServiceSettings, 'publicOnly'>,
): void {
  const refusal = publicOnly ? refuseUrl(new URL(endpoint)) : null;
  if (refusal !== null)
    throw new Problem(
      'target-refused',
      `This directory connects to public addresses only, and the endpoint of this server is none: ${refusal}. Its listing must name another.`,
    );
}
