import { failed, passed } from '../model/judgement.ts';
import { defineCheck } from './define-check.ts';

const LOOPBACK = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export const httpsEndpoint = defineCheck(
  'step',
  'https-endpoint',
  'the address of the server is https, or leads to this machine',
  ({ targetUrl }) => {
    const { protocol, hostname } = new URL(targetUrl);
    if (protocol === 'https:' || LOOPBACK.test(hostname)) return passed;
    return failed({
      message: 'the address is plain http: keys, inputs and results can be read and changed on the way',
      expected: 'https://…',
      received: targetUrl,
    });
  },
);
