import { failed, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';

export const versionedBasePath = defineCheck(
  'step',
  'versioned-base-path',
  'the base address of the directory ends in /v1',
  ({ targetUrl, asked: [first] }) => {
    const { pathname } = new URL(targetUrl);
    if (/\/v1\/?$/.test(pathname)) return passed;
    return failed({
      message: 'the base address does not end in /v1',
      expected: 'a base address whose path ends in /v1',
      received: `the path ${JSON.stringify(pathname)}`,
      ...(first === undefined ? {} : { exchangeKey: first.exchange.request.key }),
    });
  },
);
