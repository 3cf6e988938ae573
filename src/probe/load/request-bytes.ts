import type { LoadRequest } from '../../model/load.ts';
import { headOf } from '../wire/send-request.ts';

/** The bytes of a request on the wire, built once and sent many times. */
export function requestBytes({ method, url, headers, body }: LoadRequest): Buffer {
  const head = headOf({
    method,
    url: new URL(url),
    headers,
    body,
    abortAfterBytes: null,
    keepAlive: true,
    upgrade: null,
  });
  return body === null ? head : Buffer.concat([head, body]);
}
