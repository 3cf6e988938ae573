import { text } from 'node:stream/consumers';
import { createProcessEnder } from './end-processes.ts';

/**
 * Ends all processes of a command, because the process that started it ended and did not. Arguments: `end`, the grace
 * period in milliseconds, the mark, and, once the command has been started, its group and the time of its start. With
 * `wait`, the latter two come over the standard input, where no shell can wait for them.
 */
const [order, graceMs = '', mark = '', ...started] = process.argv.slice(2);
const [group = '', since = ''] = order === 'wait' ? await told() : started;
await createProcessEnder({
  groupId: group === '' ? null : Number(group),
  mark,
  since: since === '' ? null : since,
}).end(Number(graceMs));

async function told(): Promise<readonly string[]> {
  const [command = '', over] = (await text(process.stdin)).split('\n');
  if (over === 'over') process.exit();
  return command.split(' ');
}
