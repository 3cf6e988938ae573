// A "package" over standard streams: node package-server.mjs FOLDER IDENTIFIER VERSION. Notes each start in the folder.
import { appendFileSync } from 'node:fs';
import path from 'node:path';

const [, , folder, identifier, version] = process.argv;
appendFileSync(path.join(folder, 'started'), `${process.argv.slice(3).join(' ')}\n`);
appendFileSync(path.join(folder, 'environment'), `${Object.keys(process.env).join(' ')}\n`);

const ONE_TOOL = { only: ['add'] };
const SUBJECTS = {
  good: ONE_TOOL,
  changing: { ...ONE_TOOL, wrongSums: version === '1.0.0' },
  broken: { ...ONE_TOOL, wrongSums: true },
  stubborn: { ...ONE_TOOL, stubborn: true, idFile: path.join(folder, 'stubborn') },
};

if (identifier === 'silent') {
  process.on('SIGTERM', () => undefined);
  appendFileSync(path.join(folder, 'silent'), `${process.pid}\n`);
  setInterval(() => undefined, 60_000);
} else if (identifier === 'ending') {
  process.stderr.write('it misses its <b>settings</b>\n');
  process.exitCode = 3;
} else {
  process.argv[2] = JSON.stringify(SUBJECTS[identifier]);
  await import('../../../test/mcp/stdio-subject.mjs');
}
