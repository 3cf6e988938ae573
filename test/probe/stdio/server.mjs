// A process that does with its standard streams what its argument says, one kind of behaviour each.
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [kind, file] = process.argv.slice(2);
const write = (text) => process.stdout.write(text);
const answer = (id) => write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{}}\n`);
const FOREVER = () => setInterval(() => undefined, 60_000);

if (file !== undefined) writeFileSync(file, String(process.pid));

switch (kind) {
  case 'deaf':
    // Never reads.
    FOREVER();
    break;
  case 'flood': {
    const lines = `${'x'.repeat(100)}\n`.repeat(100);
    const pump = () => {
      while (write(lines));
      process.stdout.once('drain', pump);
    };
    pump();
    createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line).id));
    break;
  }
  case 'dies':
    process.stdin.once('data', () => {
      process.stderr.write('fatal: no such thing\n');
      process.exitCode = 7;
      process.stdin.destroy();
    });
    break;
  case 'noise':
    write('starting …\n');
    process.stderr.write(`the key is ${process.env.KEY}\n`);
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { id } = JSON.parse(line);
      if (id === undefined) return write('{"jsonrpc":"2.0","method":"notifications/heard"}\n');
      write(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${process.env.KEY}"}}\n`);
      process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]));
      answer(id);
    });
    break;
  case 'huge':
    createInterface({ input: process.stdin }).on('line', (line) =>
      write(`{"jsonrpc":"2.0","id":${JSON.parse(line).id},"result":"${'y'.repeat(20_000)}"}\n`),
    );
    break;
  default:
    throw new Error(`unknown kind ${kind}`);
}
