import { expect, it } from 'vitest';
import { error, heard, notification, ok, request } from '../checks/messages.ts';
import { judge, ran, stepsOf } from './judging.ts';

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
