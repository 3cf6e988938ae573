const MAX_GROWTH = 1.05;
/** Smaller changes of files, as a share of what the command loads, are not named. */
const MIN_NAMED_SHARE = 0.005;

/**
 * What to say of commands that load more than the table allows; nothing is said of one that loads less.
 * @param allowed the bytes of each file that each command loads: { check: { 'dist/probity.js': 101 } }
 * @param now the same of the built command
 */
export function growthOf(allowed, now) {
  const commands = Object.keys({ ...allowed, ...now });
  return commands.flatMap((command) => {
    const before = allowed[command];
    const after = now[command];
    if (after === undefined) return [`${command}: is in the table, but is not counted.`];
    if (before === undefined) return [`${command}: is not in the table yet.`];
    const bytes = { before: sum(before), after: sum(after) };
    const files = { before: Object.keys(before).length, after: Object.keys(after).length };
    if (bytes.after <= bytes.before * MAX_GROWTH && files.after <= files.before * MAX_GROWTH) return [];
    return [
      [
        `${command}: loads ${bytes.after} bytes in ${files.after} files, ${changeOf(bytes)} bytes and ${changeOf(files)} files`,
        ...changesOf(before, after, bytes.before * MIN_NAMED_SHARE),
      ].join('\n'),
    ];
  });
}

function changesOf(before, after, minBytes) {
  return Object.keys({ ...before, ...after })
    .map((file) => ({ file, was: before[file] ?? 0, is: after[file] ?? 0 }))
    .filter(({ was, is }) => was === 0 || is === 0 || Math.abs(is - was) >= minBytes)
    .toSorted((left, right) => right.is - right.was - (left.is - left.was))
    .map(({ file, was, is }) => {
      if (was === 0) return `  ${file}: new, ${is} bytes`;
      if (is === 0) return `  ${file}: no longer loaded, ${was} bytes`;
      return `  ${file}: ${was} bytes before, now ${is}`;
    });
}

function changeOf({ before, after }) {
  const percent = (after / before - 1) * 100;
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`;
}

function sum(files) {
  return Object.values(files).reduce((total, bytes) => total + bytes, 0);
}
