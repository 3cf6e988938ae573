import { type Json, ownProperty } from '../../json/json.ts';
import type { Condition } from '../../model/suite.ts';
import type { Era, Opened } from '../../model/wire.ts';
import { judgedVersion } from '../../wires/mcp/opening.ts';

/**
 * Why a step or an assertion does not hold for what both sides agreed on; null if it does. Pure. `asked`: the era in
 * which a conversation was asked for, if none was opened.
 */
export function unmetCondition(
  { channel, era, since, until, capability }: Condition,
  opened: Opened | null,
  asked: Era | null = null,
): string | null {
  // Before a conversation is open, what needs one is blocked by what should have opened it.
  if (opened === null)
    return era !== null && asked !== null && era !== asked ? `only for servers ${ERAS[era]}` : null;
  if (channel !== null && channel !== opened.channel)
    return `only over ${channel === 'http' ? 'HTTP' : 'standard streams'}`;
  if (era !== null && era !== opened.era) return `only for servers ${ERAS[era]}`;
  const version = judgedVersion(opened);
  if (since !== null && version < since) return `only since revision ${since}; the server speaks ${version}`;
  if (until !== null && version > until) return `only up to revision ${until}; the server speaks ${version}`;
  if (capability !== null && !isOffered(opened.capabilities, capability))
    return `the server does not offer ${capability}`;
  return null;
}

/** A part of a capability, such as `resources.subscribe`, is a member that is not false. */
function isOffered(capabilities: Json, capability: string): boolean {
  const found = capability
    .split('.')
    .reduce<Json | undefined>((within, name) => ownProperty(within, name), capabilities);
  return found !== undefined && (found !== false || !capability.includes('.'));
}

const ERAS = {
  session: 'that open sessions, up to revision 2025-11-25',
  stateless: 'without sessions, since revision 2026-07-28',
} as const;
