import { ownProperty, showJson } from '../../model/json.ts';
import { failed, passed } from '../../model/judgement.ts';
import { defineCheck } from '../define-check.ts';
import { listIn } from './relayed.ts';

export const onlyMessages = defineCheck(
  'json',
  'only-messages',
  'the server writes nothing but messages where messages belong',
  ({ value }) => {
    const [first] = listIn(value, 'noise');
    if (first === undefined) return passed;
    const isProcess = ownProperty(value, 'transport') === 'stdio';
    return failed({
      message: isProcess
        ? 'standard output has a line that is not a message'
        : 'an answer has a body or an event that is not a message',
      expected: 'one JSON object for each line, event or body',
      received: showJson(first.value),
      pointer: first.pointer,
    });
  },
);
