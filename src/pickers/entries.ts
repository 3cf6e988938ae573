import { countIn, idOf, searchPage } from '../checks/directory/search-page.ts';
import {
  isJsonObject,
  itemsOf,
  type Json,
  type JsonObject,
  ownItems,
  ownProperty,
  ownText,
} from '../json/json.ts';
import { urlOf } from '../model/exchange.ts';
import { isLoopback } from '../text/loopback.ts';
import { parseUrl } from '../text/parse-url.ts';
import { chosen, noneFits, notNeeded, type Picker, type PickerContext } from './define-picker.ts';
import { recordsIn } from './filter-values.ts';

const MAX_ENTRIES = 3;

/** The entry that the user named, or a few spread over all known ones. */
export const entries: Picker = (context) => {
  const records = recordsIn(context);
  const wanted = context.settings.directory?.entry ?? null;
  if (wanted === null) {
    const few = [0, 1, 2].map((index) => records[Math.floor((index * records.length) / MAX_ENTRIES)]);
    const found = [...new Set(few.filter((record) => record !== undefined))];
    return found.length > 0
      ? chosen(found)
      : noneFits(
          'the directory shows no entry',
          'an entry to request',
          'none',
          'Name one with --entry, or check a directory that lists servers.',
        );
  }
  const own = records.find((record) => idOf(record) === wanted);
  if (own !== undefined) return chosen([own]);
  const page = searchPage(context.answers[0]?.value);
  const total = page === null ? null : countIn(page, 'total');
  if (total === null || total > records.length) return chosen([{ id: wanted }]);
  return noneFits(
    `the directory shows no entry ${JSON.stringify(wanted)}`,
    'the entry that --entry names',
    `${records.length} other entries`,
    'Correct the id after --entry, or leave it out.',
  );
};

/** If the details show no functions, requests them from the servers, as any client would. */
export const endpoints: Picker = ({ answers, saved }) => {
  const directoryUrl = answers[0] === undefined ? undefined : urlOf(answers[0].exchange);
  // A remote directory that lists a loopback address would direct requests to a service on this machine.
  const isHere = directoryUrl !== undefined && isLoopback(new URL(directoryUrl).hostname);
  if (answers.some(({ value }) => functionsWithin(value).length > 0))
    return notNeeded('the details of an entry show its functions');
  const found = itemsOf(saved.get('entries')).flatMap((record) => {
    const endpoint = ownText(record, 'endpoint') ?? '';
    const url = parseUrl(endpoint);
    const isUsable = url !== null && /^https?:$/.test(url.protocol) && (isHere || !isLoopback(url.hostname));
    return isUsable ? [{ id: idOf(record), endpoint }] : [];
  });
  return found.length === 0 ? notNeeded('no entry gives an http endpoint') : chosen(found);
};

const MAX_LEVELS = 3;

/** Function descriptors at any place in a record. */
export function functionsWithin(value: Json, levels = MAX_LEVELS): readonly JsonObject[] {
  if (!isJsonObject(value) || levels === 0) return [];
  const own = ownItems(value, 'functions').filter(
    (one): one is JsonObject => typeof ownProperty(one, 'name') === 'string',
  );
  if (own.length > 0) return own;
  return Object.values(value).flatMap((inner) => functionsWithin(inner, levels - 1));
}

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
  const [entry] = itemsOf(context.saved.get('entries'));
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
