// Makes the folder that a release of the action consists of: the files of the package, built, with action.yml and
// action/. A job then needs no installation and no build. Its contents become the commit of a release tag.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: npm run action -- FOLDER');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
if (readdirSync(folder).some((name) => name !== '.git')) {
  console.error(`${folder} is not empty: name a new folder, or one with nothing but a .git folder.`);
  process.exit(2);
}

const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
  cwd: ROOT,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
});
const packed = JSON.parse(listed)[0].files.map((file) => file.path);
const ONLY_FOR_LIBRARY = /^dist\/types\/|\.map$/;
const files = [...packed.filter((file) => !ONLY_FOR_LIBRARY.test(file)), 'action.yml', 'action'];
for (const file of files) cpSync(path.join(ROOT, file), path.join(folder, file), { recursive: true });
console.log(`${files.length} files of the action are in ${folder}`);
