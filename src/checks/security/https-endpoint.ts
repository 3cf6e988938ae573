import { failed, passed } from '../../model/judgement.ts';
import { isLoopback } from '../../model/loopback.ts';
import { defineCheck } from '../define-check.ts';

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
