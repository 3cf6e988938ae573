import { isJsonObject, type Json, ownProperty, showJson } from '../../json/json.ts';
import { failed, inapplicable, passed } from '../../model/judgement.ts';
import { words } from '../../text/words.ts';
import { descriptorForm, descriptorsIn, propertiesOf, typesOf } from '../capabilities/descriptor.ts';
import { judgeProperties, NO_PROPERTIES } from '../capabilities/schemas.ts';
import { cannotJudge, defineCheck, judgeEach } from '../define-check.ts';

const PLACEHOLDERS = words(
  'todo tbd tba fixme xxx na none null undefined description adescription placeholder lorem loremipsum',
  'nodescription nodescriptionavailable nodescriptionprovided descriptionhere adddescription',
  'adddescriptionhere functiondescription test string foo bar asdf function afunction tobedone',
  'tobedefined tobewritten writeme',
);

export const descriptionsSaySomething = defineCheck(
  'json',
  'descriptions-say-something',
  'no function’s description is empty, a placeholder, or only the name again',
  ({ value, form }) =>
    judgeEach(descriptorsIn(value), ({ descriptor, pointer, label }) => {
      const description = ownProperty(descriptor, 'description');
      if (typeof description !== 'string')
        return form === 'mcp' ? undescribed(label, pointer) : cannotJudge('no-description');
      const flaw = flawOf(description, ownProperty(descriptor, 'name'));
      if (flaw === undefined) return passed;
      return failed({
        message: `the description of ${label} is ${flaw}`,
        expected: 'what the function does, in a sentence',
        received: showJson(description),
        pointer: `${pointer}/description`,
      });
    }),
  { reasons: { 'no-description': 'a function has no description of type string' } },
);

/** The Model Context Protocol asks for none. */
function undescribed(label: string, pointer: string) {
  return failed({
    message: `${label} has no description`,
    expected: 'what the tool does, in a sentence',
    received: 'no description',
    pointer,
  });
}

function flawOf(description: string, name: Json | undefined): string | undefined {
  const letters = lettersOf(description);
  if (letters === '') return 'empty';
  if (typeof name === 'string' && letters === lettersOf(name)) return 'only the name again';
  return PLACEHOLDERS.has(letters) ? 'a placeholder' : undefined;
}

/** Case, spaces and punctuation do not count. */
function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

export const parametersDescribed = defineCheck(
  'json',
  'parameters-described',
  'form B: every parameter has a description',
  ({ value, form }) =>
    judgeProperties(
      value,
      form,
      'parameters',
      'no function has a parameter',
      ({ name, schema, pointer }, { label }) => {
        const description = ownProperty(schema, 'description');
        if (typeof description === 'string' && lettersOf(description) !== '') return passed;
        const message = `${label}: the parameter "${name}" is not described`;
        return failed({ message, expected: 'a description', received: showJson(description), pointer });
      },
    ),
  { reasons: NO_PROPERTIES },
);

export const returnsDocumented = defineCheck(
  'json',
  'returns-documented',
  'every function’s return keys are given, with types in form B',
  ({ value, form }) => {
    const all = descriptorsIn(value);
    // A tool of the Model Context Protocol need not declare its result.
    const declared =
      form === 'mcp' ? all.filter(({ descriptor }) => ownProperty(descriptor, 'returns') !== undefined) : all;
    if (form === 'mcp' && declared.length === 0) return inapplicable('no tool declares its result');
    return judgeEach(declared, (at) => {
      const { descriptor, pointer, label } = at;
      if ((descriptorForm(descriptor, form) ?? form) === 'A') {
        const outputs = ownProperty(descriptor, 'outputs');
        if (Array.isArray(outputs)) return passed;
        return failed({
          message: `${label} does not say what it returns`,
          expected: 'outputs, a list of keys',
          received: showJson(outputs),
          pointer,
        });
      }
      const returns = ownProperty(descriptor, 'returns');
      const properties = ownProperty(returns, 'properties');
      // In the Model Context Protocol, a result may be a number or a list: since revision 2026-07-28, any value.
      if (form === 'mcp' && properties === undefined && ownProperty(returns, 'type') !== 'object')
        return passed;
      if (!isJsonObject(properties)) {
        return failed({
          message: `${label} does not say what it returns`,
          expected: `${at.names.returns}.properties`,
          received: showJson(returns),
          pointer,
        });
      }
      const untyped = propertiesOf(at, 'returns').find(({ schema }) => typesOf(schema) === null);
      if (untyped === undefined) return passed;
      const message = `${label}: the return key "${untyped.name}" has no type`;
      return failed({
        message,
        expected: 'a JSON Schema type',
        received: showJson(untyped.schema),
        pointer: untyped.pointer,
      });
    });
  },
);
