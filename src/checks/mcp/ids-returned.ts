import { type Json, ownProperty, showJson } from '../../model/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { defineCheck, judgeEach } from '../define-check.ts';
import { listIn } from './relayed.ts';

export const idsReturned = defineCheck(
  'json',
  'ids-returned',
  'every answer has the id of its request, each request has one answer, and a notification none',
  ({ value }) => {
    const answers = listIn(value, 'answers');
    if (answers.length === 0) return inapplicable('the server sent no answer');
    const sent = listIn(value, 'sent').map((one) => one.value);
    const open = sent.flatMap((message): readonly Json[] => {
      const id = ownProperty(message, 'id');
      return id === undefined ? [] : [id];
    });
    const asked = [...open];
    // What is no message has no id that an error could return.
    let unreadable = sent.filter((message) => typeof message === 'string').length;
    return judgeEach(answers, ({ value: answer, pointer }) => {
      const id = ownProperty(answer, 'id');
      const at = id === undefined ? -1 : open.indexOf(id);
      if (at !== -1) {
        open.splice(at, 1);
        return passed;
      }
      if ((id === null || id === undefined) && ownProperty(answer, 'error') !== undefined) {
        // A refused GET or DELETE, in which nothing was sent, has no id either.
        if (sent.length === 0) return passed;
        if (unreadable > 0) {
          unreadable -= 1;
          return passed;
        }
      }
      const again = id !== undefined && asked.includes(id);
      return failed({
        message: again ? 'a request was answered twice' : 'an answer has an id that no request had',
        expected:
          asked.length === 0 ? 'no answer to a notification' : `one answer for each of ${showJson(asked)}`,
        received: showJson(id),
        pointer: `${pointer}/id`,
      });
    });
  },
);
