import { namesAllFiles, PLAIN_ADDRESS } from '../checks/mcp/resources.ts';
import { isJsonObject, type Json, type JsonObject, ownItems, ownProperty, ownText } from '../json/json.ts';
import type { Listed } from '../model/request-template.ts';
import { entriesOn } from '../wires/mcp/lists.ts';
import { chosen, notNeeded, type Picker, type PickerContext } from './define-picker.ts';

// What is requested of the prompts, resources and templates that a server of the Model Context Protocol lists.

/** So many prompts are requested, and so many resources are read. */
const MAX_ENTRIES = 5;

/** The entries of all pages that are named, each once. */
function entriesIn({ answers }: PickerContext, listed: Listed, key: string): readonly JsonObject[] {
  const byKey = new Map<string, JsonObject>();
  for (const { entry } of answers.flatMap(({ exchange }) => entriesOn(exchange, listed))) {
    const name = ownText(entry, key);
    if (isJsonObject(entry) && name !== null && !byKey.has(name)) byKey.set(name, entry);
  }
  return [...byKey.values()];
}

function namesOfArguments(prompt: Json, isWanted: (argument: Json) => boolean): readonly string[] {
  return ownItems(prompt, 'arguments').flatMap((argument) => {
    const name = ownText(argument, 'name');
    return name !== null && isWanted(argument) ? [name] : [];
  });
}

const isRequired = (argument: Json): boolean => ownProperty(argument, 'required') === true;

/** The first prompts, each with a text for every argument that it requires. */
export const promptRequests: Picker = (context) => {
  const prompts = entriesIn(context, 'prompts', 'name').slice(0, MAX_ENTRIES);
  if (prompts.length === 0) return notNeeded('the server lists no prompts');
  return chosen(
    prompts.map((prompt) => {
      const required = namesOfArguments(prompt, isRequired);
      return {
        name: ownText(prompt, 'name'),
        arguments: Object.fromEntries(required.map((name) => [name, 'probity'])),
        madeUp: required.length > 0,
      };
    }),
  );
};

/** The first prompt that requires an argument. */
export const promptWithArguments: Picker = (context) => {
  const demanding = entriesIn(context, 'prompts', 'name').find(
    (prompt) => namesOfArguments(prompt, isRequired).length > 0,
  );
  return demanding === undefined
    ? notNeeded('no prompt requires an argument')
    : chosen([{ name: ownText(demanding, 'name') }]);
};

/** The addresses of the resources that only the server can read: those of the web are for clients to load themselves. */
function urisOfServer(context: PickerContext): readonly string[] {
  return entriesIn(context, 'resources', 'uri')
    .map((resource) => ownText(resource, 'uri') ?? '')
    .filter((uri) => !/^https?:/i.test(uri));
}

/** The first of them. */
export const resourceReads: Picker = (context) => {
  const uris = urisOfServer(context).slice(0, MAX_ENTRIES);
  return uris.length === 0
    ? notNeeded('the server lists no resources that it must read itself')
    : chosen(uris.map((uri) => ({ uri })));
};

/** One of them, to subscribe to. */
export const firstResource: Picker = (context) => {
  const [uri] = urisOfServer(context);
  return uri === undefined ? notNeeded('the server lists no resources') : chosen([{ uri }]);
};

/** An address like those that are listed, with a name that no resource has. */
export const unknownResource: Picker = (context) => {
  const [known = 'probity://resource'] = urisOfServer(context);
  const [path = ''] = known.split(/[?#]/);
  return chosen(`${path}-probity-unknown`);
};

/** A file that every system of this kind has, and everybody may read. */
const FILE = 'etc/passwd';
/** So many addresses lead out of a folder. */
const MAX_ADDRESSES = 4;

/** Addresses of a file outside of the folders that the server lists, as a client may write them by mistake, or on purpose. */
export const addressesOutside: Picker = (context) => {
  const up = '../'.repeat(12);
  const ofTemplates = entriesIn(context, 'templates', 'uriTemplate').flatMap((template) => {
    const uri = ownText(template, 'uriTemplate') ?? '';
    return uri.includes('{')
      ? [`${up}${FILE}`, encodeURIComponent(`${up}${FILE}`)].map((path) =>
          uri.replace(EXPRESSION, path).replaceAll(EXPRESSIONS, 'probity'),
        )
      : [];
  });
  const ofResources = urisOfServer(context).flatMap((uri) => {
    const folder = /^([a-z][a-z0-9+.-]*:\/\/[^?#]*\/)[^/?#]*$/i.exec(uri)?.[1];
    return folder === undefined ? [] : [`${folder}${up}${FILE}`];
  });
  const isOpen = entriesIn(context, 'templates', 'uriTemplate').some(namesAllFiles);
  const uris = [
    ...[...ofTemplates.slice(0, MAX_ADDRESSES - 1), ...ofResources].slice(0, MAX_ADDRESSES),
    // To compare with: whoever offers all files shows it at its own address, too.
    ...(isOpen ? [PLAIN_ADDRESS] : []),
  ];
  return uris.length === 0
    ? notNeeded('the server has no templates, and no resources in folders')
    : chosen(uris.map((uri) => ({ uri })));
};

/** An expression of RFC 6570: the first one, and all. */
const EXPRESSION = /\{[^{}]*\}/;
const EXPRESSIONS = /\{[^{}]*\}/g;

/** So many prompts, and so many templates, are completed. */
const MAX_COMPLETED = 2;

/** Nothing was typed yet for the first argument of the first prompts. */
export const promptCompletions: Picker = (context) => {
  const completed = entriesIn(context, 'prompts', 'name').flatMap((prompt) => {
    const [argument] = namesOfArguments(prompt, () => true);
    if (argument === undefined) return [];
    const ref = { type: 'ref/prompt', name: ownText(prompt, 'name') };
    return [{ ref, argument: { name: argument, value: '' } }];
  });
  return completed.length === 0
    ? notNeeded('no prompt has an argument')
    : chosen(completed.slice(0, MAX_COMPLETED));
};

/** The first variable of an expression, without its operator and its modifiers. */
const FIRST_VARIABLE = /\{[+#./;?&]?([^{},:*]+)/;

export const templateCompletions: Picker = (context) => {
  const completed = entriesIn(context, 'templates', 'uriTemplate').flatMap((template) => {
    const uri = ownText(template, 'uriTemplate') ?? '';
    const [, variable] = FIRST_VARIABLE.exec(uri) ?? [];
    return variable === undefined
      ? []
      : [{ ref: { type: 'ref/resource', uri }, argument: { name: variable, value: '' } }];
  });
  return completed.length === 0
    ? notNeeded('no template has a variable')
    : chosen(completed.slice(0, MAX_COMPLETED));
};
