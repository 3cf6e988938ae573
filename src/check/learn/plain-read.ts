import type { PlannedHttp } from '../../model/probe.ts';
import { commonHeaders } from '../request-headers.ts';

/** A GET outside the suites, whose answer is not judged. */
export function plainRead(url: string, key: string, timeoutMs: number): PlannedHttp {
  return {
    key,
    method: 'GET',
    url,
    headers: commonHeaders(),
    body: null,
    abortAfterBytes: null,
    timeoutMs,
    feedsLaterSteps: true,
    anonymous: false,
    connection: null,
    upgrade: null,
  };
}
