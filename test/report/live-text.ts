import fc from 'fast-check';

/** Characters that act, or that cannot be seen, each named where Unicode has no class for it. */
export const LIVE = new RegExp(
  `[${[
    ...['\\p{Cc}', '\\p{Cf}', '\\p{Cs}', '\\p{Zl}', '\\p{Zp}', '\\u034F', '\\u115F\\u1160', '\\u17B4\\u17B5'],
    ...['\\u180B-\\u180F', '\\u2065', '\\u2800', '\\u3164', '\\uFE00-\\uFE0F', '\\uFFA0', '\\uFFF0-\\uFFF8'],
    '\\uFFFE\\uFFFF',
    '\\u{E0000}-\\u{E0FFF}',
  ].join('')}]`,
  'u',
);

/** Whether a CI system would take a line of a log for a command, told the way that each of them tells. */
export function isCommand(line: string): boolean {
  return (
    isGitHubCommand(line) || /##\[[^\]]*\]/.test(line) || /##vso\[/i.test(line) || /##teamcity\[/i.test(line)
  );
}

/** The line begins with two colons, white space aside; up to the next two is a name and, behind a blank, the rest. */
function isGitHubCommand(line: string): boolean {
  const start = line.trimStart();
  const end = start.indexOf('::', 2);
  if (!start.startsWith('::') || end === -1) return false;
  const [name = ''] = start.slice(2, end).split(' ');
  return /^[A-Za-z][A-Za-z-]*$/.test(name);
}

const piece = fc.constantFrom(
  ...['::', ':', ' ', ' ', '  ', '\n', '\t', '\u00A0', '\u2003', '\u200B', '\u001B', '"', "'", '.', '-', ','],
  ...[
    'error',
    'set-output',
    'name=x',
    'stop-commands',
    'a',
    'Z9',
    '##',
    '#',
    '[',
    ']',
    'vso[',
    'TeamCity[',
    'group',
  ],
);
/** Texts of which many hold a command, or nearly. */
export const craftedText: fc.Arbitrary<string> = fc
  .array(piece, { maxLength: 14 })
  .map((pieces) => pieces.join(''));
