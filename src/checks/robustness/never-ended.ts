import { failed, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';

export const neverEnded = defineCheck(
  'step',
  'never-ended',
  'no process of the server ended by itself during the run; with `spoilt`, those of the conversation that is spoilt on purpose, and otherwise all others',
  ({ conversations, options }) => {
    const gone = conversations.find(
      ({ name, ended }) => ended?.by === 'server' && SPOILT.test(name) === (options.spoilt === true),
    );
    if (gone === undefined) return passed;
    const lines = gone.stderr.trim().split('\n').slice(-MAX_LINES).join('\n');
    return failed({
      message: 'the server ended while the check was talking to it',
      expected: 'a server that goes on, whatever it is sent',
      received: `${gone.ended?.reason}${lines === '' ? '' : `; the last lines of its standard error:\n${lines}`}`,
    });
  },
  {
    options: {
      spoilt: { doc: 'true: the conversation in which a text that is not JSON was sent.', required: false },
    },
  },
);

/** Also when it was started again. */
const SPOILT = /^spoilt(-again-\d+)?$/;

const MAX_LINES = 5;
