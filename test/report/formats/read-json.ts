import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { schema as ctrfSchema } from 'ctrf';
import type { Log } from 'sarif';
import type { RenderedFile } from '../../../src/report/target-entry.ts';
import { readMarkdown } from './read-markdown.ts';
import type { Reading } from './reading.ts';

export function readJson(file: RenderedFile | undefined): Reading {
  const texts: string[] = [];
  const shapeOf = (value: unknown): unknown => {
    if (typeof value === 'string') {
      texts.push(value);
      return 'text';
    }
    if (Array.isArray(value)) return value.map(shapeOf);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shapeOf(part)]));
  };
  return { structure: shapeOf(JSON.parse(file?.text ?? '')), texts, faults: [] };
}

/** The string formats that the schemas use. */
const formats = {
  uuid: (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
  uri: (text: string) => URL.canParse(text),
  'uri-reference': (text: string) => /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/.test(text),
  'date-time': (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text),
};
export const validateSarif = new Ajv({ strict: false, formats, allErrors: true }).compile(
  schema('sarif-2.1.0.subset.json'),
);
const validateCtrf = new Ajv({ strict: false, formats }).compile(ctrfSchema as object);
export const validateCodequality = new Ajv({ allErrors: true }).compile(schema('codequality.json'));
export const validateShields = new Ajv().compile(schema('shields-endpoint.json'));

function schema(name: string): object {
  return JSON.parse(readFileSync(new URL(`schemas/${name}`, import.meta.url), 'utf8')) as object;
}

export function readCodequality(file: RenderedFile | undefined): Reading {
  const issues = JSON.parse(file?.text ?? '') as readonly { readonly fingerprint: string }[];
  const faults = validateCodequality(issues) ? [] : (validateCodequality.errors ?? []);
  const fingerprints = issues.map(({ fingerprint }) => fingerprint);
  const doubled = fingerprints.filter((one, index) => fingerprints.indexOf(one) !== index);
  return {
    ...readJson(file),
    faults: [
      ...faults.map((error) => JSON.stringify(error)),
      ...doubled.map((one) => `GitLab hides all but one of the fingerprint ${one}`),
    ],
  };
}

export function readCtrf(file: RenderedFile | undefined): Reading {
  const isValid = validateCtrf(JSON.parse(file?.text ?? ''));
  return {
    ...readJson(file),
    faults: isValid ? [] : (validateCtrf.errors ?? []).map((error) => JSON.stringify(error)),
  };
}

export function readSarif(file: RenderedFile | undefined): Reading {
  const log = JSON.parse(file?.text ?? '') as Log;
  const isValid = validateSarif(log);
  const results = log.runs.flatMap((run) => run.results ?? []);
  const rules = log.runs.flatMap(({ tool }) => tool.driver.rules ?? []);
  return {
    ...readJson(file),
    faults: [
      ...(isValid ? [] : (validateSarif.errors ?? []).map((error) => JSON.stringify(error))),
      ...results
        .filter(({ message }) => message.text?.includes(']('))
        .map(({ message }) => `a link in a message: ${message.text}`),
      ...rules.flatMap(({ help }) => readMarkdown({ suffix: '.md', text: help?.markdown ?? '' }).faults),
    ],
  };
}
