import { shorten } from '../../json/json.ts';
import type { ChangeKind, Contract, ContractChange } from '../../model/contract.ts';
import type { ContractDiff } from '../compare/diff-contracts.ts';
import type { ChangeView, DiffView, Tone } from './diff-view.ts';
import { madeVisible } from './visible-result.ts';
import { counted, numbered, type VerdictMark } from './words.ts';

/** The changes of a contract as all formats show them, in the shape of a comparison of results. Pure. */
export function contractDiffView(given: ContractDiff): DiffView {
  const { before, after, changes: all, isBreaking } = madeVisible(given);
  const changes = all.map((change) => changeView(change, after.wire));
  const names = numbered(changes.map(({ name }) => name));
  const isSame = changes.length === 0;
  return {
    isWorse: isBreaking,
    isSame,
    ...markOf(isBreaking, isSame),
    words: `${isSame ? 'Nothing changed for callers.' : `${countsOf(all)}.`}${unreadWords(given)}`,
    url: after.server.name ?? 'the server',
    otherTarget: '',
    sides: `${sideWords(before)} → ${sideWords(after)}`,
    others: [],
    counted: 'change',
    changes: changes.map((change, index) => ({ ...change, name: names[index] ?? change.name })),
    times: [],
    timeNotes: [],
    before: { id: sideWords(before), startedAt: NO_TIME },
    after: { id: sideWords(after), startedAt: NO_TIME },
  };
}

function unreadWords({ unread }: ContractDiff): string {
  return unread.length === 0
    ? ''
    : ` Not all pages were read of ${unread.join(', ')}: what they lack is not known.`;
}

/** JUnit requires one; a contract has none, so that the same contracts give the same file. */
const NO_TIME = '1970-01-01T00:00:00Z';

function markOf(isBreaking: boolean, isSame: boolean): { readonly mark: VerdictMark; readonly word: string } {
  if (isBreaking) return { mark: 'fail', word: 'BREAKING' };
  return isSame ? { mark: 'pass', word: 'SAME' } : { mark: 'measured', word: 'CHANGED' };
}

function sideWords({ server, revision }: Pick<Contract, 'server' | 'revision'>): string {
  const name = [server.name, server.version].filter((part) => part !== undefined).join(' ');
  return [name === '' ? 'without a name' : name, ...(revision === undefined ? [] : [`MCP ${revision}`])].join(
    ', ',
  );
}

/** `2 breaking changes, 1 additive one` */
function countsOf(changes: readonly ContractChange[]): string {
  const kinds = (['breaking', 'unclear', 'additive', 'cosmetic'] as const).flatMap((kind) => {
    const count = changes.filter((one) => one.kind === kind).length;
    return count === 0 ? [] : [`${count} ${kind}`];
  });
  const suspicious = changes.filter(({ isSuspicious }) => isSuspicious === true).length;
  const total = `${counted(changes.length, 'change')}: ${kinds.join(', ')}`;
  return suspicious === 0
    ? total
    : `${total}; ${counted(suspicious, 'text')} may mean something else to a model`;
}

const LABELS: Readonly<Record<ChangeKind, readonly [label: string, tone: Tone]>> = {
  breaking: ['BREAKING', 'bad'],
  unclear: ['UNCLEAR', 'doubtful'],
  additive: ['ADDITIVE', 'good'],
  cosmetic: ['COSMETIC', 'faint'],
};

function changeView(change: ContractChange, wire: Contract['wire']): ChangeView {
  const [label, tone] =
    change.isSuspicious === true ? (['SUSPICIOUS', 'doubtful'] as const) : LABELS[change.kind];
  const id = subjectWords(change, wire);
  return { label, tone, id, name: id, words: change.message, note: textsOf(change), parts: [] };
}

function subjectWords({ of, name }: ContractChange, wire: Contract['wire']): string {
  if (name === null) return 'server';
  const what = of === 'function' && wire === 'mcp' ? 'tool' : of === 'resourceTemplate' ? 'template' : of;
  return `${what} ${name}`;
}

const MAX_CHARACTERS = 80;
const CHARACTERS_BEFORE = 30;

/** The place in which two texts differ, unless the message has both. */
function textsOf({ kind, message, before, after }: ContractChange): string {
  if (kind !== 'cosmetic' || typeof before !== 'string' || typeof after !== 'string') return '';
  if (before === '' || after === '') return shown(before === '' ? after : before, 0);
  if (message.includes(JSON.stringify(before))) return '';
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  const from = start <= CHARACTERS_BEFORE ? 0 : start - CHARACTERS_BEFORE;
  return `was ${shown(before, from)}; is ${shown(after, from)}`;
}

function shown(text: string, from: number): string {
  return JSON.stringify(`${from === 0 ? '' : '…'}${shorten(text.slice(from), MAX_CHARACTERS)}`);
}
