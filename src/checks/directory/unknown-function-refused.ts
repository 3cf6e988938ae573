import { failed, passed, undecided } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';

const NOT_FOUND = 404;
const MIN_GATEWAY_FAULT = 500;

/** A directory that cannot reach the server cannot know its functions. */
export const unknownFunctionRefused = defineCheck(
  'answer',
  'unknown-function-refused',
  'a call of a function that the server does not list is answered with 404',
  ({ exchange, item }) => {
    const { status } = exchange.response;
    if (status === NOT_FOUND) return passed;
    const evidence = {
      message: `the status is ${status}`,
      expected: 'status 404',
      received: `status ${status}`,
    };
    const isReached = typeof item === 'object' && item !== null && Object.hasOwn(item, 'function');
    if (status >= MIN_GATEWAY_FAULT && !isReached)
      return undecided({
        ...evidence,
        message: `the status is ${status}, and the server behind the directory could not be reached either`,
        fault: 'network',
        advice: 'Use --entry to name an entry whose server answers.',
      });
    return failed(evidence);
  },
);
