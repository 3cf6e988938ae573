import type { PortabilityProblem, ProfileFit } from '../../model/client-view.ts';
import { CHANGE_KINDS, type ChangeKind, type ContractChange } from '../../model/contract.ts';
import { groupedBy } from '../../text/grouped-by.ts';
import { unitOf } from '../operations.ts';
import type { JudgementView } from './judgement-view.ts';
import type { VisibleResult } from './visible-result.ts';
import { counted } from './words.ts';

// What clients and models see of a server, in words: one line for each question, and a table of functions and profiles.

export const CLIENTS_TITLE = 'What clients see';

export type ClientsView = NonNullable<ReturnType<typeof clientsViewOf>>;
export type ClientLabel = 'definitions' | 'portable' | 'texts' | 'contract';

const MAX_NAMED = 3;
const TEXT_AREA = 'texts/';

/** Null if the functions were not listed, or there are none. Pure. */
export function clientsViewOf(
  result: Pick<VisibleResult, 'clientView'> & { readonly settings: object },
  { requirements }: Pick<JudgementView, 'requirements'>,
) {
  const { clientView } = result;
  if (clientView === undefined || clientView.functions === 0) return null;
  const { tokens, portability, changes } = clientView;
  const unit = unitOf(result);
  const texts = requirements.filter(({ id }) => id.startsWith(TEXT_AREA));
  const lines: readonly (readonly [ClientLabel, string])[] = [
    ['definitions', definitionWords(clientView, unit)],
    ['portable', portableWords(portability)],
    ['texts', textWords(texts)],
    ['contract', changes === undefined ? '' : `${changeWords(changes)}${unreadWords(clientView.unread)}`],
  ];
  return {
    lines: lines.filter(([, words]) => words !== ''),
    unit,
    tokens,
    profiles: portability.map((fit) => ({
      ...fit,
      words: fitWords(fit),
      groups: problemGroups(fit.problems),
    })),
    functions: functionsOf(tokens.functions, portability),
    changes: changesByKind(changes ?? [], unit),
  };
}

/** `13 tools, about 3412 tokens (an estimate); most: search 900 (26 %)`. */
function definitionWords(
  { functions, tokens }: NonNullable<VisibleResult['clientView']>,
  unit: string,
): string {
  const dominating = tokens.functions
    .filter(({ total }) => tokens.functions.length > 1 && total > 0)
    .slice(0, MAX_NAMED)
    .map(({ function: name, total }) => `${name} ${total} (${shareOf(total, tokens.total)})`);
  const most = dominating.length === 0 ? '' : `; most: ${dominating.join(', ')}`;
  return `${counted(functions, unit)}, about ${counted(tokens.total, 'token')} (an estimate)${most}`;
}

function shareOf(part: number, whole: number): string {
  return `${Math.round((100 * part) / Math.max(1, whole))} %`;
}

function isWhole({ problems, more = 0 }: ProfileFit): boolean {
  return problems.length === 0 && more === 0;
}

/** `to anthropic, openai; 0 of 13 to openai-strict; 9 of 13 to gemini`: the chosen and the strictest of these first. */
function portableWords(fits: readonly ProfileFit[]): string {
  const whole = fits.filter(isWhole);
  const partly = fits
    .filter((fit) => !isWhole(fit))
    .toSorted(
      (left, right) => Number(right.isChosen) - Number(left.isChosen) || left.portable - right.portable,
    );
  const groups = [...groupedBy(partly, fitWords)].map(
    ([words, group]) => `${words} to ${group.map(({ profile }) => profile).join(', ')}`,
  );
  const all = whole.map(({ profile }) => profile);
  return [...(all.length === 0 ? [] : [`to ${all.join(', ')}`]), ...groups].join('; ');
}

function fitWords({ portable, functions }: ProfileFit): string {
  return `${portable} of ${functions}`;
}

function textWords(rows: JudgementView['requirements']): string {
  if (rows.length === 0) return '';
  const wrong = rows.filter(({ state }) => state === 'failed' || state === 'warning');
  if (wrong.length > 0)
    return wrong.map(({ id, findings }) => `${id} ${counted(findings.length, 'finding')}`).join(', ');
  const undecided = rows.filter(({ outcome }) => outcome === 'undecided').length;
  if (undecided === rows.length) return '';
  return 'no rule found something hidden, an order to the model or a secret';
}

function changeWords(changes: readonly ContractChange[]): string {
  if (changes.length === 0) return 'no change since the file';
  const counts = CHANGE_KINDS.map(
    (kind) => [kind, changes.filter((one) => one.kind === kind).length] as const,
  );
  const words = counts.filter(([, count]) => count > 0).map(([kind, count]) => `${count} ${kind}`);
  const suspicious = changes.filter(({ isSuspicious }) => isSuspicious).length;
  const doubt =
    suspicious === 0 ? '' : `; ${counted(suspicious, 'text')} may say something else to the model`;
  return `${words.join(', ')} ${changes.length === 1 ? 'change' : 'changes'} since the file${doubt}`;
}

function unreadWords(unread: readonly string[] = []): string {
  return unread.length === 0 ? '' : `; not all pages were read of ${unread.join(', ')}`;
}

function changesByKind(changes: readonly ContractChange[], unit: Unit) {
  const byKind = groupedBy(changes, ({ kind }) => kind);
  return CHANGE_KINDS.flatMap((kind: ChangeKind) => {
    const own = byKind.get(kind) ?? [];
    return own.length === 0
      ? []
      : [{ kind, changes: own.map((one) => ({ ...one, sentence: sentenceOfChange(one, unit) })) }];
  });
}

type Unit = ReturnType<typeof unitOf>;

/** Such as `function search: the argument "unit" is required now`. */
export function sentenceOfChange({ of, name, message, isSuspicious }: ContractChange, unit: Unit): string {
  const words = isSuspicious === true ? `${message}; it may say something else to the model` : message;
  if (name === null) return words;
  const kinds = { server: 'server', function: unit, prompt: 'prompt', resource: 'resource' };
  return `${of === 'resourceTemplate' ? 'resource template' : kinds[of]} ${name}: ${words}`;
}

/** Problems with the same change are one group, with the functions that have it. */
function problemGroups(problems: readonly PortabilityProblem[]) {
  const groups = groupedBy(problems, ({ rule, message, change }) => JSON.stringify([rule, message, change]));
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map(({ rule, message, change, pointer }) => ({
      rule,
      message,
      change,
      pointer,
      functions: [...new Set(group.flatMap((one) => (one.function === null ? [] : [one.function])))],
    })),
  );
}

/** One line of the table: the tokens of a function, and for each profile whether it accepts the function. */
function functionsOf(
  functions: readonly { readonly function: string; readonly total: number }[],
  portability: readonly ProfileFit[],
) {
  const refused = portability.map((fit) => new Set(fit.refused));
  return functions.map(({ function: name, total }) => ({
    name,
    tokens: total,
    fits: refused.map((names) => !names.has(name)),
  }));
}
