import { type DefaultTreeAdapterTypes, parse as parseHtml } from 'parse5';
import type { RenderedFile } from '../../../src/report/target-entry.ts';
import type { Reading } from './reading.ts';

type HtmlNode = DefaultTreeAdapterTypes.ChildNode;

/** Text may change the layout of a page, but active elements must not depend on text from a target. */
const ACTING = new Set([
  'script',
  'style',
  'link',
  'meta',
  'base',
  'iframe',
  'object',
  'embed',
  'form',
  'img',
  'image',
  'svg',
  'math',
  'template',
  'a',
  'input',
  'button',
  'video',
  'audio',
]);
const ADDRESSES = new Set(['href', 'src', 'action', 'formaction', 'data', 'poster', 'xlink:href', 'srcdoc']);

export function readHtml(file: RenderedFile | undefined): Reading {
  const acting: string[] = [];
  const texts: string[] = [];
  const faults: string[] = [];
  const walk = (node: HtmlNode): void => {
    if (node.nodeName === '#text') texts.push((node as DefaultTreeAdapterTypes.TextNode).value);
    if (node.nodeName === '#comment') acting.push('comment');
    if (!('tagName' in node)) return;
    if (ACTING.has(node.tagName)) acting.push(node.tagName);
    for (const { name, value } of node.attrs) {
      texts.push(value);
      if (name.startsWith('on')) faults.push(`a handler: ${node.tagName} ${name}=${value}`);
      if (ADDRESSES.has(name) && !/^(#|https?:|data:image\/)/.test(value))
        faults.push(`an address: ${name}=${value}`);
    }
    const children = 'content' in node ? node.content.childNodes : node.childNodes;
    // Adjacent pieces are one text to a reader, however they are wrapped.
    texts.push(textOf(node));
    for (const child of children) walk(child);
  };
  for (const child of parseHtml(file?.text ?? '').childNodes) walk(child);
  return { structure: acting, texts, faults };
}

function textOf(node: HtmlNode): string {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}
