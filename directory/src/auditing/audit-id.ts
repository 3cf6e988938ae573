import { randomBytes } from 'node:crypto';

/** Sorts by time, and is unique when two audits begin in the same second. */
export function newAuditId(): string {
  return `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}-${randomBytes(2).toString('hex')}`;
}
