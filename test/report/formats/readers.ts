import type { FormatName } from '../../../src/check/render/render-format.ts';
import { visible } from '../../../src/json/visible.ts';
import { readGithub } from './read-github.ts';
import { readHar } from './read-har.ts';
import { readHtml } from './read-html.ts';
import { readCodequality, readCtrf, readJson, readSarif } from './read-json.ts';
import { readMarkdown } from './read-markdown.ts';
import { readTap } from './read-tap.ts';
import { readXml } from './read-xml.ts';
import type { FormatReader, Reading } from './reading.ts';

/** A reader for every format; each format must have one, because the tests use it. */
const READERS: Readonly<Record<string, FormatReader>> = {
  badge: { read: ([svg, json]) => joined(readXml(svg), readJson(json)), told: null },
  codequality: { read: ([file]) => readCodequality(file), told: visible },
  ctrf: { read: ([file]) => readCtrf(file), told: visible },
  github: { read: ([file]) => readGithub(file), told: visible },
  har: { read: ([file]) => readHar(file), told: (text) => text },
  html: { read: ([file]) => readHtml(file), told: visible },
  json: { read: ([file]) => readJson(file), told: (text) => text },
  junit: { read: ([file]) => readXml(file), told: visible },
  markdown: { read: ([file]) => readMarkdown(file), told: visible },
  sarif: { read: ([file]) => readSarif(file), told: visible },
  tap: { read: ([file]) => readTap(file), told: visible },
};

export function readerOf(format: FormatName): FormatReader {
  const reader = READERS[format];
  if (reader === undefined)
    throw new Error(
      `The format ${format} has no reader in test/report/formats/readers.ts. Add one that parses it independently, so that what a target says is seen to come out as text.`,
    );
  return reader;
}

function joined(...readings: readonly Reading[]): Reading {
  return {
    structure: readings.map(({ structure }) => structure),
    texts: readings.flatMap(({ texts }) => texts),
    faults: readings.flatMap(({ faults }) => faults),
  };
}
