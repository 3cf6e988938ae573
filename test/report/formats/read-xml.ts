import { SaxesParser } from 'saxes';
import type { RenderedFile } from '../../../src/report/target-entry.ts';
import type { Reading } from './reading.ts';

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

/** @throws on anything that is not well-formed XML 1.0 */
export function parseXml(text: string): XmlElement {
  interface Open extends XmlElement {
    readonly children: XmlElement[];
    text: string;
  }
  const stack: Open[] = [{ name: '', attributes: {}, children: [], text: '' }];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: Open = { name, attributes: attributes as Record<string, string>, children: [], text: '' };
    stack.at(-1)?.children.push(element);
    stack.push(element);
  });
  parser.on('closetag', () => {
    stack.pop();
  });
  const addText = (part: string): void => {
    const open = stack.at(-1);
    if (open !== undefined) open.text += part;
  };
  parser.on('text', addText);
  for (const event of ['comment', 'doctype', 'cdata'] as const)
    parser.on(event, (part) => {
      throw new Error(`an unexpected ${event}: ${part}`);
    });
  parser.write(text).close();
  const [root] = stack[0]?.children ?? [];
  if (root === undefined) throw new Error('there is no element');
  return root;
}

export function readXml(file: RenderedFile | undefined): Reading {
  const texts: string[] = [];
  const shapeOf = ({ name, attributes, children, text }: XmlElement): unknown => {
    texts.push(text, ...Object.values(attributes));
    return [name, Object.keys(attributes), children.map(shapeOf)];
  };
  return { structure: shapeOf(parseXml(file?.text ?? '')), texts, faults: [] };
}
