import { idOf } from '../checks/directory/search-page.ts';
import { type Json, type JsonObject, ownProperty } from '../model/json.ts';
import { chosen, noneFits, type Picker, type PickerContext } from './define-picker.ts';
import { functionsWithin } from './functions-within.ts';

/** One function of one entry with an input; preferably a proven input, and a function that changes nothing. */
export const calls: Picker = (context) => {
  const [best] = callsOf(context);
  if (best !== undefined) return chosen([best]);
  return noneFits(
    'no function of any entry is known, so none can be called',
    'functions in the details of an entry, or in /capabilities of its server',
    'none',
    'Name an entry whose server answers with --entry, or start the servers that the directory lists.',
  );
};

/** The same entry with an input for a test, which may be empty. */
export const testees: Picker = (context) => {
  const [best] = callsOf(context);
  if (best !== undefined) return chosen([best]);
  const listed = context.saved.get('entries');
  const [entry] = Array.isArray(listed) ? (listed as readonly Json[]) : [];
  return chosen(entry === undefined ? [] : [{ id: idOf(entry) ?? '', input: {} }]);
};

const CERTAINTY = ['configured', 'example', 'none-needed', 'assembled'];

function callsOf({ answers, callOf }: PickerContext): readonly JsonObject[] {
  const offers = answers.flatMap(({ item, value }) => {
    const id = idOf(item);
    if (id === null) return [];
    return functionsWithin(value).flatMap((descriptor) => {
      const offer = callOf(descriptor);
      const name = ownProperty(descriptor, 'name');
      return offer === null || typeof name !== 'string' ? [] : [{ id, name, ...offer }];
    });
  });
  return offers
    .map((offer, index) => ({ offer, rank: rankOf(offer.source, offer.changesSomething), index }))
    .sort((left, right) => left.rank - right.rank || left.index - right.index)
    .map(({ offer: { id, name, input, source } }) => ({ id, function: name, input, source }));
}

function rankOf(source: string, changesSomething: boolean): number {
  return CERTAINTY.indexOf(source) + (changesSomething ? CERTAINTY.length : 0);
}
