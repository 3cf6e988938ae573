import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** Folders that the default run leaves out, with their commands. */
export const OWN_RUNS = {
  'test/mutants/': 'npm run mutants',
  'test/natural/': 'npm run natural',
  'test/conforming/': 'npm run natural',
  'test/system/': 'npm run system',
  'directory/test/system/': 'npm run system',
  'test/mcp-packages/': 'npm run mcp-packages',
};

/** Number of commits, if the main branch is unknown or checked out. */
const LOOKED_BACK = 5;

/**
 * The test files in `folder` that changed since the main branch, or else in the last commits, and those that are not
 * committed. `unknown` is the reason if that cannot be determined: `no git` without git or a repository, `broken` if
 * git failed.
 */
export function changedTests(folder) {
  if (!existsSync(path.join(folder, '.git'))) return unknown('no git', 'this is not a git checkout');
  const git = (...parameters) => {
    // The owner of the files does not matter, because only names are read.
    const answer = spawnSync('git', ['-c', 'safe.directory=*', ...parameters], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (answer.error?.code === 'ENOENT') throw new Unknown('no git', 'git is not installed');
    if (answer.status !== 0)
      throw new Unknown(
        'broken',
        `git ${parameters[0]} failed: ${answer.error?.message ?? answer.stderr.trim()}`,
      );
    return answer.stdout;
  };
  try {
    const base = baseOf(git);
    const names = [
      ...git('diff', '-z', '--name-only', base, '--').split('\0'),
      ...git('ls-files', '-z', '--others', '--exclude-standard').split('\0'),
    ].filter(
      (name) => /^(directory\/)?test\/.*\.test\.tsx?$/.test(name) && existsSync(path.join(folder, name)),
    );
    const isOfOwnRun = (name) => Object.keys(OWN_RUNS).some((below) => name.startsWith(below));
    return {
      files: names.filter((name) => !isOfOwnRun(name)),
      leftOut: names.filter(isOfOwnRun),
    };
  } catch (error) {
    if (error instanceof Unknown) return unknown(error.kind, error.message);
    throw error;
  }
}

class Unknown extends Error {
  constructor(kind, why) {
    super(why);
    this.kind = kind;
  }
}

function unknown(kind, why) {
  return { unknown: kind, why };
}

function baseOf(git) {
  const head = git('rev-parse', 'HEAD').trim();
  const main = mergeBase(git);
  if (main !== null && main !== head) return main;
  const commits = git('rev-list', '--first-parent', `--max-count=${LOOKED_BACK + 1}`, 'HEAD')
    .trim()
    .split('\n');
  if (commits.length > LOOKED_BACK) return commits[LOOKED_BACK];
  if (git('rev-parse', '--is-shallow-repository').trim() === 'true')
    throw new Unknown(
      'broken',
      `this clone is shallow and has only the last ${commits.length} commits: fetch at least ${LOOKED_BACK + 1} (git fetch --depth=${LOOKED_BACK + 1})`,
    );
  // The last commits contain the whole history.
  return git('hash-object', '-t', 'tree', '--stdin').trim();
}

function mergeBase(git) {
  try {
    return git('merge-base', 'HEAD', 'origin/main').trim();
  } catch (error) {
    if (error instanceof Unknown && error.kind === 'broken') return null;
    throw error;
  }
}
