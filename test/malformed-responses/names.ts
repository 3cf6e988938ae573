import type { Behaviour } from './behaviour.ts';
import { CLEAN, failing, orSpent } from './finds.ts';
import { carrying, withMember } from './wire.ts';

/** Lists an extra function, like `add` with another name; on other endpoints the name is a key and a value. */
function named(id: string, words: string, name: string): Behaviour {
  return {
    id: `names/${id}`,
    words: `${words}; on other endpoints as an extra key and value`,
    legal: true,
    serves: { [name]: 'add' },
    play: carrying((text, { endpoint }) =>
      endpoint === 'capabilities' ? listed(text, name) : withMember(text, JSON.stringify(name), name),
    ),
    finds: CLEAN,
  };
}

function listed(text: string, name: string): string {
  const record = JSON.parse(text) as { functions: { name: string }[] };
  const add = record.functions.find((one) => one.name === 'add');
  return JSON.stringify({ ...record, functions: [...record.functions, { ...add, name }] });
}

/** Sends the text where a finding quotes it. */
function quoted(id: string, words: string, value: string): Behaviour {
  return {
    id: `names/${id}`,
    words: `${words}: as the status of /health, a mcpVersion of /capabilities, and the code of an error`,
    legal: true,
    play: carrying((text, { endpoint }) =>
      endpoint === 'health'
        ? text.replace('"status":"ok"', () => `"status":${JSON.stringify(value)}`)
        : endpoint === 'capabilities'
          ? text.replace('"mcpVersion":"1.0"', () => `"mcpVersion":${JSON.stringify(value)}`)
          : text.replace('"code":"FUNCTION_NOT_FOUND"', () => `"code":${JSON.stringify(value)}`),
    ),
    finds: {
      health: failing('status', 'health/operational'),
      capabilities: [
        ...failing(/version/i, 'capabilities/mcp-version-supported'),
        ...failing('mcpVersion', 'capabilities/versions-agree'),
      ],
      execute: failing('code', 'errors/unknown-function-code'),
    },
  };
}

export const names: readonly Behaviour[] = [
  named('controls', 'lists a function with control characters in its name', 'a\u0000b\u0007c\u007fd\u0085'),
  named(
    'ansi',
    'lists a function whose name clears the terminal',
    '\u001b[2J\u001b[31madd\u001b]0;owned\u0007',
  ),
  named(
    'bidirectional',
    'lists a function whose name changes the text direction',
    'dda\u202e\u2066add\u2069',
  ),
  named('line-breaks', 'lists a function with line breaks in its name', 'add\r\n  PASS\n\u2028ok'),
  named(
    'workflow-commands',
    'lists a function named like a command to a CI system',
    '::error::owned ##[error]owned',
  ),
  named('shell', 'lists a function named like a shell command', '$(reboot) `reboot` ;reboot && "\' \\'),
  named('path', 'lists a function named like a path', '../../../../etc/passwd'),
  named('template', 'lists a function named like a template', '${run.seed} ${fn.name} {{x}} %s %d'),
  named('markup', 'lists a function named like markup', '<script>alert(1)</script> | [a](javascript:b)'),
  named('key-characters', 'lists a function named like the keys of requests', 'add]#0!1?2@B~3|4'),
  named('lone-surrogate', 'lists a function with a lone surrogate in its name', 'add\ud800'),
  named('spaces', 'lists a function whose name is a space', ' '),
  named('inherited', 'lists a function named like an inherited object member', 'toString'),
  {
    ...named('of-1-mb', 'lists a function with a name of 1 MB', 'n'.repeat(1024 * 1024)),
    large: true,
    finds: orSpent(CLEAN),
  },
  {
    id: 'names/empty',
    words: 'lists a function without a name; on other endpoints as an empty key',
    legal: true,
    play: carrying((text, { endpoint }) =>
      endpoint === 'capabilities' ? listed(text, '') : withMember(text, '""', ''),
    ),
    finds: { ...CLEAN, capabilities: failing('is invalid', 'capabilities/function-name') },
  },
  quoted(
    'quoted-ansi',
    'sends terminal controls where they are quoted',
    '\u001b[2J\u001b]0;owned\u0007\u009b31m',
  ),
  quoted(
    'quoted-commands',
    'sends commands to a CI system where they are quoted',
    '\n::error::owned\n##[error]owned',
  ),
  quoted(
    'quoted-bidirectional',
    'sends bidirectional marks where they are quoted',
    '\u202eko\u2066\u200f\ufeff',
  ),
];
