import fc from 'fast-check';

/** Active or invisible characters; those without a Unicode class are listed. */
export const LIVE = new RegExp(
  `[${[
    ...['\\p{Cc}', '\\p{Cf}', '\\p{Cs}', '\\p{Zl}', '\\p{Zp}', '\\u034F', '\\u115F\\u1160', '\\u17B4\\u17B5'],
    ...['\\u180B-\\u180F', '\\u2065', '\\u2800', '\\u3164', '\\uFE00-\\uFE0F', '\\uFFA0', '\\uFFF0-\\uFFF8'],
    '\\uFDD0-\\uFDEF',
    ...Array.from(
      { length: 17 },
      (_, plane) => `\\u{${plane.toString(16)}FFFE}\\u{${plane.toString(16)}FFFF}`,
    ),
    '\\u{E0000}-\\u{E0FFF}',
  ].join('')}]`,
  'u',
);

/** Whether a CI system would interpret a log line as a command, by the rules of each system. */
export function isCommand(line: string): boolean {
  return (
    isGitHubCommand(line) || /##\[[^\]]*\]/.test(line) || /##vso\[/i.test(line) || /##teamcity\[/i.test(line)
  );
}

/**
 * After white space the line starts with two colons, then a name and, after a space, properties up to the next two
 * colons.
 */
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
/** Texts that often contain a command, or almost one. */
export const craftedText: fc.Arbitrary<string> = fc
  .array(piece, { maxLength: 14 })
  .map((pieces) => pieces.join(''));
