import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import path from 'node:path';

// Instead of chokidar or a recursive fs.watch, because both lose a folder that is replaced (a test shows it).

/** Short enough for a person after saving, long enough for an editor or a checkout to write all files. */
const QUIET_MS = 150;
/** Continuous changes are reported after this time at the latest. */
const MAX_QUIET_MS = 1500;
/** The system limits the number of watches of a process. */
const MAX_FOLDERS = 2000;

/** Folders with many files that people do not edit. */
const NEVER_WATCHED = new Set(['node_modules', '.git', '.hg', '.svn', '__pycache__']);
/** Temporary files that editors write beside the edited file. */
const OF_EDITORS = /~$|^\.#|^#.*#$|\.sw[a-z]$|^4913$|___jb_(tmp|old)___$/;

export interface WatchedFiles {
  /** Watches these files and folders instead of the previous ones. */
  set(paths: readonly string[]): void;
  close(): void;
}

interface FileWatch {
  /** Called with the changed files after a moment without changes. */
  readonly onChange: (files: readonly string[]) => void;
  /** Called with the reason why something cannot be watched. */
  readonly onProblem: (problem: string) => void;
  /** Files and folders whose changes are ignored, such as the folder of reports. */
  readonly ignored: readonly string[];
}

/**
 * Watches folders, never files: editors replace a file with a new one of the same name, and a watch on the file would
 * end. Subfolders are watched one by one, so that some can be left out.
 */
export function watchFiles({ onChange, onProblem, ignored }: FileWatch): WatchedFiles {
  const watchers = new Map<string, FSWatcher>();
  const leftOut = ignored.map((one) => path.resolve(one));
  const quiet = createQuiet(onChange);
  let files = new Set<string>();
  let folders: readonly string[] = [];
  let isFull = false;

  const isBelow = (file: string, folder: string): boolean =>
    file === folder || file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);

  const isWatched = (file: string): boolean => {
    if (files.has(file)) return true;
    if (OF_EDITORS.test(path.basename(file)) || leftOut.some((one) => isBelow(file, one))) return false;
    return folders.some(
      (folder) =>
        isBelow(file, folder) &&
        !path
          .relative(folder, file)
          .split(path.sep)
          .some((name) => NEVER_WATCHED.has(name)),
    );
  };

  const forget = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };

  const watchFolder = (folder: string): void => {
    if (watchers.has(folder)) return;
    if (watchers.size >= MAX_FOLDERS) {
      if (!isFull) onProblem(`more than ${MAX_FOLDERS} folders: the others are not watched`);
      isFull = true;
      return;
    }
    try {
      const watcher = watch(folder, (event, name) => notice(folder, event, name));
      // It was removed, which the watch on its parent reports.
      watcher.on('error', () => forget(folder));
      watchers.set(folder, watcher);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== 'ENOENT') onProblem(`cannot watch ${folder}: ${code ?? String(error)}`);
    }
  };

  const watchTree = (folder: string): void => {
    watchFolder(folder);
    for (const below of foldersIn(folder)) if (isWatched(below)) watchTree(below);
  };

  const notice = (folder: string, event: string, name: string | null): void => {
    const file = name === null ? folder : path.join(folder, name);
    if (!isWatched(file)) return;
    if (event === 'rename') {
      // A new folder may have replaced it by now.
      for (const known of [...watchers.keys()]) if (known !== folder && isBelow(known, file)) forget(known);
      if (folders.some((one) => isBelow(file, one)) && isFolder(file)) watchTree(file);
    }
    quiet.add(file);
  };

  return {
    set: (paths) => {
      const all = paths.map((one) => path.resolve(one));
      folders = all.filter(isFolder);
      files = new Set(all);
      const wanted = new Set(all.map((one) => path.dirname(one)));
      for (const known of [...watchers.keys()])
        if (!wanted.has(known) && !folders.some((one) => isBelow(known, one))) forget(known);
      for (const folder of wanted) watchFolder(folder);
      for (const folder of folders) watchTree(folder);
    },
    close: () => {
      quiet.close();
      for (const folder of [...watchers.keys()]) forget(folder);
    },
  };
}

function createQuiet(onQuiet: (files: readonly string[]) => void) {
  let changed = new Set<string>();
  let firstAtMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const report = (): void => {
    const files = [...changed];
    changed = new Set();
    onQuiet(files);
  };
  return {
    add: (file: string) => {
      if (changed.size === 0) firstAtMs = performance.now();
      changed.add(file);
      clearTimeout(timer);
      const leftMs = MAX_QUIET_MS - (performance.now() - firstAtMs);
      timer = setTimeout(report, Math.max(0, Math.min(QUIET_MS, leftMs)));
    },
    close: () => clearTimeout(timer),
  };
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => path.join(folder, name));
  } catch {
    // The folder was removed meanwhile.
    return [];
  }
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
