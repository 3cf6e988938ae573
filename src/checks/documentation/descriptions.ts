import { type Json, ownProperty, showJson } from '../../json/json.ts';
import { failed, passed } from '../../model/judgement.ts';
import { words } from '../../text/words.ts';
import { descriptorsIn } from '../capabilities/descriptor.ts';
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
  ({ value, form }) => {
    return judgeEach(descriptorsIn(value), ({ descriptor, pointer, label }) => {
      const description = ownProperty(descriptor, 'description');
      if (typeof description !== 'string')
        return form === 'mcp' ? undescribed(label, pointer) : cannotJudge('no-description');
      const flaw = flawOf(description, ownProperty(descriptor, 'name'));
      if (flaw === undefined) return passed;
      const message = `the description of ${label} is ${flaw}`;
      return failed({
        message,
        expected: 'what the function does, in a sentence',
        received: showJson(description),
        pointer: `${pointer}/description`,
      });
    });
  },
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
