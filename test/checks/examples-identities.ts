import type { Asked } from '../../src/checks/define-check.ts';
import { type IdentityCase, identityCase } from '../../src/checks/security/identities-apart.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import { answer, call, type Example, fails, type Given, passes, undecided } from './example.ts';

const MARK = 'probe-abcdefghij';
const OTHER_MARK = 'probe-zyxwvutsrq';

/** A call with a result, or a refusal. */
const made = (name: IdentityCase, input: JsonObject, result: Json | number, number = 0): Asked => {
  const refused = typeof result === 'number';
  return {
    caseId: identityCase(number, name),
    exchange: answer({
      key: name,
      status: refused ? result : 200,
      value: refused ? { error: { code: 'NO', message: 'no' } } : { result, executionTime: 1 },
    }),
    call: call({ functionName: name.includes('reads') ? 'getNote' : 'addNote', input }),
    item: undefined,
  };
};

const note = (text: string): JsonObject => ({ id: 'n1', text });

/** What two users did, with other answers for some of the calls. */
const did = (
  changes: Partial<Record<IdentityCase, Json | number>> = {},
  input: JsonObject = { id: 'n1' },
): Given => {
  const usual: readonly (readonly [IdentityCase, JsonObject, Json | number])[] = [
    ['own-creates', { text: MARK }, note(MARK)],
    ['own-reads', input, note(MARK)],
    ['other-creates', { text: OTHER_MARK }, note(OTHER_MARK)],
    ['other-reads-own', { id: 'n2' }, note(OTHER_MARK)],
    ['other-reads', input, 404],
    ['own-reads-still', input, note(MARK)],
    ['other-removes', input, 403],
    ['own-reads-again', input, note(MARK)],
  ];
  return { asked: usual.map(([name, given, result]) => made(name, given, changes[name] ?? result)) };
};

const example = (what: string, given: Given, finds: Example['finds']): Example => ({
  check: 'identities-apart',
  what,
  given,
  finds,
});

export const examplesOfIdentities: readonly Example[] = [
  example('two users who are kept apart', did(), passes),
  example('an answer without the note', did({ 'other-reads': { id: 'n1', found: false } }), passes),
  example('a deletion that was only said', did({ 'other-removes': { id: 'n1' } }), passes),
  example('a note that the first user cannot read again either', did({ 'own-reads-again': 404 }), passes),
  example(
    'a note that the other user reads',
    did({ 'other-reads': note(MARK) }),
    fails({ exchangeKey: 'other-reads' }),
  ),
  example(
    'a note that the other user deletes',
    did({ 'other-removes': { id: 'n1' }, 'own-reads-again': 404 }),
    fails({ exchangeKey: 'other-removes' }),
  ),
  example(
    'a note that can be read only once',
    did({ 'own-reads-still': 404, 'other-removes': { id: 'n1' }, 'own-reads-again': 404 }),
    passes,
  ),
  example(
    'a note that cannot be read again because of a rate limit',
    did({ 'other-removes': { id: 'n1' }, 'own-reads-again': 429 }),
    passes,
  ),
  example(
    'another user who may not create',
    { asked: (did({ 'other-creates': 403 }).asked ?? []).slice(0, 3) },
    undecided({ exchangeKey: 'other-creates' }),
  ),
  example(
    'another user who may not read',
    did({ 'other-reads-own': 403 }),
    undecided({ exchangeKey: 'other-reads-own' }),
  ),
  example('notes that are not shown', did({ 'own-reads': { ok: true } }), [{ outcome: 'inapplicable' }]),
  example('notes whose ids are their texts', did({ 'other-reads': note(MARK) }, { id: MARK }), [
    { outcome: 'inapplicable' },
  ]),
  example('nothing', { asked: [] }, [{ outcome: 'inapplicable' }]),
];
