import { CHECK_SETTINGS } from '../src/model/check-options.ts';
import { SHARE_OF_FUNCTIONS } from '../src/model/judgement.ts';
import type { Option } from '../src/model/option.ts';

/** The settings of a report that are options of a check, for the schema of a test result. */
export const storedOptions = Object.entries<Option>(CHECK_SETTINGS).flatMap(([name, option]) => {
  const { stored, doc, default: usual } = option;
  if (stored === undefined) return [];
  const description = `${doc[0]?.toUpperCase()}${doc.slice(1)}.`;
  const schema = { description, ...schemaOf(option) };
  return [{ name: stored === true ? name : stored, schema, isRequired: usual !== undefined }];
});

/** The schema of the values that the library accepts; the command line accepts fewer. */
function schemaOf({ written, problem }: Option): object {
  switch (written.as) {
    case 'toggle':
      return { type: 'boolean' };
    case 'choice':
      return { enum: written.of };
    case 'count':
      return problem(0.5, '') === null
        ? { type: 'number', exclusiveMinimum: 0 }
        : { type: 'integer', minimum: written.min };
    case 'seconds':
      return { type: 'number', exclusiveMinimum: 0 };
    case 'coverage':
      return {
        anyOf: [
          { type: 'integer', minimum: 1 },
          { type: 'string', pattern: SHARE_OF_FUNCTIONS.source },
        ],
      };
    case 'names':
    case 'lines':
      return { type: 'array', items: { type: 'string' } };
    case 'command':
    case 'text':
    case 'file':
      return { type: 'string' };
  }
}
