import { createHash } from 'node:crypto';
import { headerValue } from '../../model/exchange.ts';
import { type Finding, failed, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';

/** RFC 6455, section 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export const websocketAccepted = defineCheck(
  'answer',
  'websocket-accepted',
  'the WebSocket handshake is accepted as RFC 6455 requires',
  ({ exchange }) => {
    const { headers } = exchange.response;
    const key = headerValue(exchange.request.headers, 'sec-websocket-key') ?? '';
    const accept = createHash('sha1')
      .update(key + GUID)
      .digest('base64');
    const findings: Finding[] = [];
    const expectHeader = (name: string, expected: string, holds: (value: string) => boolean): void => {
      // A list may be spread over several headers of the name (RFC 9110, section 5.3).
      const values = headers.filter(([other]) => other.toLowerCase() === name).map(([, text]) => text);
      const value = values.length === 0 ? undefined : values.join(', ');
      if (value !== undefined && holds(value)) return;
      const received = value === undefined ? 'no such header' : JSON.stringify(value);
      findings.push(failed({ message: `the handshake has no valid ${name}`, expected, received }));
    };
    expectHeader('upgrade', 'Upgrade: websocket', (value) => value.toLowerCase() === 'websocket');
    expectHeader('connection', 'Connection: Upgrade', (value) =>
      value
        .toLowerCase()
        .split(',')
        .some((option) => option.trim() === 'upgrade'),
    );
    expectHeader('sec-websocket-accept', `Sec-WebSocket-Accept: ${accept}`, (value) => value === accept);
    return findings.length === 0 ? passed : findings;
  },
);
