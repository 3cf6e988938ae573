import { failed, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';

/** Names and addresses as a URL writes them, also those of IPv4 inside IPv6. */
const LOOPBACK =
  /^(?:(?:.*\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/;

/** Whether a host name, as a URL writes it, leads to this machine. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

export const httpsEndpoint = defineCheck(
  'step',
  'https-endpoint',
  'the address of the server is https, or a loopback address',
  ({ targetUrl, asked }) => {
    const { protocol, hostname } = new URL(targetUrl);
    if (protocol === 'https:' || isLoopback(hostname)) return passed;
    const [first] = asked;
    return failed({
      message: 'the address is plain http: keys, inputs and results can be read and changed on the way',
      expected: 'https://…',
      received: targetUrl,
      ...(first === undefined ? {} : { exchangeKey: first.exchange.request.key }),
    });
  },
);
