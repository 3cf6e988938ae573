import { TEXT_SUBJECTS } from '../../generated/texts.ts';
import { isJsonObject, jsonPointer, ownItems, ownProperty } from '../../json/json.ts';
import { isAnswer } from '../../model/exchange.ts';
import { failed, inapplicable, passed, type Shortcoming } from '../../model/judgement.ts';
import type { LookAlikeRule } from '../../model/text-rule.ts';
import { cannotJudge, defineCheck } from '../define-check.ts';
import { NO_ANSWER } from '../json/answers.ts';
import { jsonBody } from '../json/json-body.ts';
import { escaped } from './escaped.ts';

interface Named {
  readonly name: string;
  readonly kind: 'function' | 'tool' | 'prompt';
  readonly pointer: string;
  readonly exchangeKey: string;
}

export const namesApart = defineCheck(
  'step',
  'names-apart',
  'no two functions, tools or prompts have names that look alike, and no name mixes alphabets in a word',
  ({ asked }) => {
    const subject = TEXT_SUBJECTS.find((one) => one.subject === 'names-apart');
    const answers = asked.flatMap(({ exchange }) => (isAnswer(exchange) ? [exchange] : []));
    if (subject === undefined || answers.length === 0) return cannotJudge('no-answer');
    const named = answers.flatMap((answer) => {
      const { value } = jsonBody(answer);
      const result = ownProperty(value, 'result');
      return (
        [
          ['function', value, ['functions']],
          ['tool', result, ['result', 'tools']],
          ['prompt', result, ['result', 'prompts']],
        ] as const
      ).flatMap(([kind, holder, path]) => namedIn(kind, holder, path, answer.request.key));
    });
    if (named.length === 0) return inapplicable('the server lists no function and no prompt');
    const rules = subject.rules.filter((rule): rule is LookAlikeRule => rule.kind === 'look-alike');
    const findings = rules.flatMap((rule) => judgeNames(rule, named, subject.expected));
    return findings.length === 0 ? passed : findings.slice(0, MAX_FINDINGS);
  },
  NO_ANSWER,
);

const MAX_FINDINGS = 30;

function namedIn(
  kind: Named['kind'],
  holder: unknown,
  path: readonly string[],
  exchangeKey: string,
): readonly Named[] {
  return ownItems(holder, path.at(-1) ?? '').flatMap((entry, index) => {
    const name = isJsonObject(entry) ? ownProperty(entry, 'name') : undefined;
    return typeof name === 'string'
      ? [{ name, kind, pointer: jsonPointer([...path, index, 'name']), exchangeKey }]
      : [];
  });
}

function judgeNames(rule: LookAlikeRule, named: readonly Named[], expected: string): readonly Shortcoming[] {
  if (rule.alike.length === 0)
    return firstOfEach(named, ({ name, kind }) => `${kind} ${name}`)
      .filter(({ name }) => mixesAlphabets(name))
      .map((one) => ({
        ...one,
        message: `the name of ${one.kind} "${shown(one.name)}" ${rule.says}. ${rule.why}`,
      }))
      .map(({ message, name, pointer, exchangeKey }) =>
        failed({ message, expected, received: `"${shown(name)}"`, pointer, exchangeKey }),
      );
  const first = new Map<string, Named>();
  const findings: Shortcoming[] = [];
  for (const one of firstOfEach(named, ({ name, kind }) => `${kind} ${name}`)) {
    const look = `${one.kind} ${lookOf(one.name, rule)}`;
    const other = first.get(look);
    if (other === undefined) first.set(look, one);
    else
      findings.push(
        failed({
          message: `the names of the ${one.kind}s "${shown(other.name)}" and "${shown(one.name)}" ${rule.says}. ${rule.why}`,
          expected,
          received: `"${shown(other.name)}" and "${shown(one.name)}"`,
          pointer: one.pointer,
          exchangeKey: one.exchangeKey,
        }),
      );
  }
  return findings;
}

/** The same list is read several times; a name that is listed twice breaks another rule. */
function firstOfEach(named: readonly Named[], keyOf: (one: Named) => string): readonly Named[] {
  return [...new Map(named.toReversed().map((one) => [keyOf(one), one])).values()].toReversed();
}

/** The same text for names that the rule calls alike. */
export function lookOf(name: string, { alike, ignoresCase }: LookAlikeRule): string {
  const folds = foldsOf(alike);
  const folded = [...name.normalize('NFKC')].map((character) => folds.get(character) ?? character).join('');
  return ignoresCase ? folded.toLowerCase() : folded;
}

const foldsOfRules = new Map<readonly string[], ReadonlyMap<string, string>>();

function foldsOf(alike: readonly string[]): ReadonlyMap<string, string> {
  const known = foldsOfRules.get(alike);
  if (known !== undefined) return known;
  const folds = new Map(
    alike.flatMap((line) => {
      const [first = '', ...others] = [...line];
      // What separates words, and begins with a hyphen, does not count at all.
      return [first, ...others].map((one) => [one, first === '-' ? '' : first] as const);
    }),
  );
  foldsOfRules.set(alike, folds);
  return folds;
}

const ALPHABETS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u];

export function mixesAlphabets(name: string): boolean {
  return name
    .split(/[^\p{L}\p{M}]+/u)
    .some((word) => ALPHABETS.filter((alphabet) => alphabet.test(word)).length > 1);
}

const LOOK_ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\uFF01-\uFF5E]/gu;

function shown(name: string): string {
  return escaped(name, LOOK_ALIKE);
}
