import { text } from 'node:stream/consumers';
import { createProcessEnder } from './end-processes.ts';

/**
 * Ends all processes of a command, because the process that started it ended and did not. Arguments: `end`, the grace
 * period in milliseconds, the mark, and, once the command has been started, its group, the time of its start, and
 * known processes. With `wait`, the latter come over the standard input, where no shell can wait for them.
 */
const [order, graceMs = '', mark = '', ...started] = process.argv.slice(2);
const [group = '', since = '', ...known] = order === 'wait' ? await told() : started;
await createProcessEnder({
  groupId: group === '' ? null : Number(group),
  mark,
  since: since === '' ? null : since,
  known: new Map(known.map(knownProcess)),
}).end(Number(graceMs));

async function told(): Promise<readonly string[]> {
  // The last line is empty, or was cut off.
  const lines = (await text(process.stdin)).split('\n').slice(0, -1);
  const last = lines.at(-1) ?? '';
  if (last === 'over') process.exit();
  return last.split(' ');
}

function knownProcess(word: string): readonly [id: number, since: string] {
  const [id, since = ''] = word.split(':');
  return [Number(id), since];
}
