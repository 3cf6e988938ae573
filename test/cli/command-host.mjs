// Runs command lines one after another in one process, each as the built command runs it, so that Node and the files
// of the command are loaded once. Arguments: the file of the command, and the mark that ends the output of a run.
import { createReadStream } from 'node:fs';
import { devNull } from 'node:os';
import { pathToFileURL } from 'node:url';

const [, , command, mark] = process.argv;
let runs = 0;
/** Null between runs; then whether the code of the command has ended. */
let isDone = null;
let stdin = null;
// One that has ended never says so again, for which the second `watch` of a process would wait for ever.
Object.defineProperty(process, 'stdin', { get: () => (stdin ??= createReadStream(devNull)) });

process.on('message', ({ args, cwd, env }) => {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, command, ...args];
  process.exitCode = undefined;
  stdin = null;
  // Only the command keeps the process alive now, as if it were alone.
  process.channel.unref();
  isDone = false;
  // A file with another query is another module, so its code runs again; what it imports stays loaded.
  import(`${pathToFileURL(command)}?run=${runs++}`).then(() => {
    isDone = true;
  });
});

// The tests ended, or no longer need it: a command that still runs must not outlive them.
process.on('disconnect', () => process.exit());

// Here a process of this command alone would end, and no earlier: what keeps it alive delays the result too.
process.on('beforeExit', (code) => {
  if (isDone === null) return;
  // The exit code of Node.js for code that waits for nothing.
  const result = isDone ? code : 13;
  isDone = null;
  process.exitCode = undefined;
  process.stdout.write(mark);
  process.stderr.write(mark);
  process.channel.ref();
  process.send(result);
});
