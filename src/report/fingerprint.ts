import { createHash } from 'node:crypto';
import type { ReportedFinding } from '../model/judgement.ts';

type Evidence = Pick<ReportedFinding, 'id' | 'outcome' | 'message' | 'expected' | 'received'> & {
  readonly where: Pick<ReportedFinding['where'], 'step' | 'function' | 'case'>;
  readonly pointer: string | undefined;
};

const FINGERPRINT_DIGITS = 16;

/**
 * Tells whether a finding of another run is the same defect with the same evidence. Numbers, identifiers and times that
 * differ from run to run are left out, and so is the place of an entry in a list; a status is not. Pure.
 */
export function fingerprintOf({
  id,
  outcome,
  message,
  expected,
  received,
  where,
  pointer,
}: Evidence): string {
  const parts = [
    id,
    outcome,
    where.step,
    where.function ?? '',
    where.case ?? '',
    (pointer ?? '').replaceAll(/\/\d+(?=\/|$)/g, '/*'),
    steady(message),
    steady(expected),
    steady(received),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, FINGERPRINT_DIGITS);
}

export function fingerprintOfBlocked(id: string, blockedBy: string): string {
  return createHash('sha256')
    .update(JSON.stringify([id, 'blocked', blockedBy]))
    .digest('hex')
    .slice(0, FINGERPRINT_DIGITS);
}

/** A status is kept; any other word with a digit in it may be another one next time. */
const STATUS_OR_VARYING = /\b(status \d{3})\b|[\p{L}\p{N}_.:+-]*\p{Nd}[\p{L}\p{N}_.:+-]*/gu;

function steady(text: string): string {
  return text.replaceAll(STATUS_OR_VARYING, (_, status?: string) => status ?? '#');
}
