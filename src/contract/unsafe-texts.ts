import { hitIn } from '../checks/texts/apply-rule.ts';
import { textsWithin } from '../checks/texts/texts-of-answer.ts';
import { TEXT_SUBJECTS } from '../generated/texts.ts';
import { type JsonObject, jsonPointer } from '../json/json.ts';
import type { Contract, ContractChange } from '../model/contract.ts';
import type { PatternRule, TextPlace } from '../model/text-rule.ts';

// What a newer contract says that the older one did not say, and in which a rule about texts finds something that a model
// obeys or a person does not see. Secrets and addresses in it tell the model nothing.

const SUBJECTS: ReadonlySet<string> = new Set(['instructions', 'visible', 'markup']);

const RULES: readonly PatternRule[] = TEXT_SUBJECTS.filter(({ subject }) => SUBJECTS.has(subject)).flatMap(
  ({ rules }) => rules.filter((rule): rule is PatternRule => rule.kind !== 'look-alike'),
);

/** The rules that find something in a text; `names` are those of the server, which its texts may speak of; null: any. */
export function rulesBroken(
  text: string,
  place: TextPlace,
  names: readonly string[] | null,
): readonly PatternRule[] {
  const knows = (name: string): boolean => names?.includes(name) ?? true;
  return RULES.filter((rule) => rule.in.includes(place) && hitIn(text, rule, knows) !== null);
}

type TextChange = Omit<ContractChange, 'of' | 'name'>;

/** Texts that are not new. */
interface KnownTexts {
  readonly all: ReadonlySet<string>;
  /** By their pointers, if they are those of one part. */
  readonly placed: ReadonlyMap<string, string>;
}

export function textsOfPart(part: object): KnownTexts {
  const texts = textsWithin(part as JsonObject, '');
  const placed = new Map(texts.map(({ path, text }) => [jsonPointer(path), text]));
  return { all: new Set(placed.values()), placed };
}

export function textsOfParts(parts: readonly object[]): KnownTexts {
  return { all: new Set(parts.flatMap((one) => [...textsOfPart(one).all])), placed: new Map() };
}

/** What a rule finds in the new texts of a part of a contract, each with what its message says. */
export function unsafeTexts(
  after: object,
  known: KnownTexts,
  pointer: string,
  names: readonly string[],
): readonly TextChange[] {
  const texts = textsWithin(after as JsonObject, 'it');
  const own = [...names, ...texts.filter(({ place }) => place === 'name').map(({ text }) => text)];
  return texts.flatMap(({ text, place, label, path }): readonly TextChange[] => {
    if (known.all.has(text)) return [];
    const [rule] = rulesBroken(text, place, own);
    if (rule === undefined) return [];
    const at = jsonPointer(path);
    if (rulesBroken(known.placed.get(at) ?? '', place, own).includes(rule)) return [];
    const message = `${label} ${rule.says}`;
    return [{ kind: 'cosmetic', pointer: `${pointer}${at}`, message, isSuspicious: true }];
  });
}

/** Changes with what rules find: said of the change that the text belongs to, or else as a change of its own. */
export function withUnsafe(
  changes: readonly TextChange[],
  unsafe: readonly TextChange[],
): readonly TextChange[] {
  const all = [...changes];
  for (const one of unsafe) {
    const [change] = all
      .filter(({ pointer }) => pointer === one.pointer || one.pointer.startsWith(`${pointer}/`))
      .toSorted((left, right) => right.pointer.length - left.pointer.length);
    if (change === undefined) all.push(one);
    else if (change.isSuspicious !== true)
      all[all.indexOf(change)] = {
        ...change,
        message: `${change.message}: ${one.message}`,
        isSuspicious: true,
      };
  }
  return all;
}

/** What rules find in functions that the older contract does not have, and in the name of the server. */
export function unsafeAdditions(before: Contract, after: Contract): readonly ContractChange[] {
  const names = after.functions.map(({ name }) => name);
  const older = new Set(before.functions.map(({ name }) => name));
  const known = textsOfParts(before.functions);
  const ofServer = unsafeTexts(after.server, textsOfPart(before.server), '/server', names);
  const ofFunctions = after.functions.flatMap((one, index) =>
    older.has(one.name) || before.unread.includes('functions')
      ? []
      : unsafeTexts(one, known, `/functions/${index}`, names).map(
          (change): ContractChange => ({ ...change, of: 'function', name: one.name }),
        ),
  );
  return [
    ...ofServer.map((change): ContractChange => ({ ...change, of: 'server', name: null })),
    ...ofFunctions,
  ];
}
