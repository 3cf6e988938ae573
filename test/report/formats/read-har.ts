import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import type { RenderedFile } from '../../../src/report/target-entry.ts';
import { readJson } from './read-json.ts';
import type { Reading } from './reading.ts';

const require = createRequire(import.meta.url);
const schemas = require('har-schema') as Readonly<Record<string, object>>;

const ajv = new Ajv({
  strict: false,
  allErrors: true,
  formats: {
    uri: (text: string) => URL.canParse(text),
    'date-time': (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text),
  },
});
ajv.addMetaSchema(require('ajv/lib/refs/json-schema-draft-06.json') as object);
for (const schema of Object.values(schemas)) ajv.addSchema(schema);
const validate = ajv.getSchema('har.json#');

export interface Har {
  readonly log: { readonly entries: readonly HarEntry[] };
}

export interface HarEntry {
  readonly startedDateTime: string;
  readonly time: number;
  readonly comment: string;
  readonly timings: Readonly<Record<string, number>>;
  readonly request: { readonly url: string; readonly bodySize: number; readonly postData?: { text: string } };
  readonly response: { readonly status: number; readonly content: { readonly size: number } };
}

/** The schema allows some values that the standard forbids. */
export function readHar(file: RenderedFile | undefined): Reading {
  const har = JSON.parse(file?.text ?? '') as Har;
  if (validate === undefined) throw new Error('har-schema has no har.json');
  const faults = validate(har) === true ? [] : (validate.errors ?? []);
  const withoutSizes = JSON.stringify(har, (key, value) =>
    /^(?:size|bodySize)$/.test(key) && value > 0 ? null : value,
  );
  return {
    ...readJson({ suffix: '.har', text: withoutSizes }),
    faults: [
      ...faults.map((error) => JSON.stringify(error)),
      ...har.log.entries.flatMap(({ comment, time, timings }) => {
        const known = Object.values(timings).filter((ms) => ms !== -1);
        const sum = known.reduce((total, ms) => total + ms, 0);
        return [
          ...(Math.abs(sum - time) < 0.002
            ? []
            : [`${comment}: the timings add up to ${sum}, not to ${time}`]),
          ...(known.every((ms) => ms >= 0) ? [] : [`${comment}: a timing is negative`]),
        ];
      }),
    ],
  };
}
