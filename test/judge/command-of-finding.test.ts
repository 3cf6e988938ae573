import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { judgeRun } from '../../src/judge/judge-run.ts';
import type { Heard } from '../../src/model/exchange.ts';
import { bytesFrom } from '../../src/model/sent.ts';
import { error, heard, notification, ok, request } from '../checks/messages.ts';
import { inputOf, judge, ran, stepOf, stepsOf } from './judging.ts';

it('opens the conversation before the message, also of a server that was started again', () => {
  const [open, call] = stepsOf(`- { id: open, request: { open: main } }
- { id: call, request: { alive: true }, expect: { outcome: { is: result, id: ok } } }`);
  if (open === undefined || call === undefined) throw new Error('no step');
  const opening = [
    heard(request('initialize', {}, 7), [ok({}, 7)], { key: 'open#0' }),
    heard(notification('notifications/initialized'), [], { key: 'open#0.1', end: 'silent' }),
  ];
  const other = heard(request('initialize', {}, 8), [ok({}, 8)], { key: 'other#0', conversation: 'other' });
  const commandIn = (conversation: string) => {
    const refused = heard(request('ping', {}, 9), [error(-32603, 'x', 9)], { key: 'call#0', conversation });
    const steps = [ran(open, { exchanges: [...opening, other] }), ran(call, { exchanges: [refused] })];
    const mcp = { address: 'node server.js', channel: 'stdio', era: 'auto', startTimeoutMs: 1 } as const;
    return judge(steps, { settings: { mcp } }).find(({ curl }) => curl !== null)?.curl;
  };
  const command = commandIn('main');
  expect(command).toMatch(/initialize.*notifications\/initialized.*ping.*node server\.js/s);
  expect(command).not.toContain('"id":8');
  expect(commandIn('main-again-1')).toBe(command);
});

it('shows what comes after an answer through a pipe, because `probity send` ends with the answer', () => {
  const ids = stepOf(`- id: ids
  request: { alive: true }
  expect: { checks: [{ check: ids-returned, requirement: mcp/ids-returned }] }`);
  const opening = heard(request('server/discover', {}, 1), [ok({}, 1)], { key: 'open#0' });
  const again = bytesFrom(Buffer.from(JSON.stringify(ok({}, 9))));
  const commandOf = (
    heardFor: readonly JsonObject[],
    unasked: readonly Heard[],
    file: { readonly from?: string } = {},
  ) => {
    const ping = heard(request('ping', {}, 9), heardFor, { key: 'ids#0' });
    const mcp = {
      address: 'node server.js',
      channel: 'stdio',
      era: 'auto',
      startTimeoutMs: 1,
      ...file,
    } as const;
    const { record, ...input } = inputOf([ran(ids, { exchanges: [opening, ping] })], {
      settings: { mcp, targetName: 'mine' },
    });
    const conversations = [
      { name: 'main', openedAtMs: 0, unasked, omitted: { lines: 0, bytes: 0 }, stderr: '', ended: null },
    ];
    return judgeRun({ ...input, record: { ...record, conversations } }).find(({ curl }) => curl !== null)
      ?.curl;
  };
  const late = [{ bytes: again, omittedBytes: 0, atMs: 30, repeatedSecrets: [] }];
  expect(commandOf([ok({}, 9)], late)).toMatch(/^\(printf .*"ping".*; sleep 5\) \| node server\.js$/s);
  expect(commandOf([ok({}, '9')], [])).toMatch(/^probity send .*"ping"/);
  // What else the server needs is in the file that names it.
  expect(commandOf([ok({}, 9)], late, { from: 'a b.json' })).toMatch(
    /^\(.*discover.*"ping".*\) \| probity send --raw --no-open --timeout 5 --from 'a b.json' mine -$/s,
  );
  expect(commandOf([ok({}, '9')], [], { from: 'a.json' })).toMatch(
    /^probity send .* --from a.json mine '.*"ping"/,
  );
});
