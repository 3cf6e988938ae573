import MarkdownIt, { type Token } from 'markdown-it';
import type { RenderedFile } from '../../../src/report/target-entry.ts';
import type { Reading } from './reading.ts';

const markdown = new MarkdownIt({ html: true, linkify: true });

export function readMarkdown(file: RenderedFile | undefined): Reading {
  const flat = (tokens: readonly Token[]): readonly Token[] =>
    tokens.flatMap((token) => [token, ...flat(token.children ?? [])]);
  const tokens = flat(markdown.parse(file?.text ?? '', {})).filter(({ type }) => type !== 'inline');
  const raw = tokens.filter(({ type }) => type === 'html_block' || type === 'html_inline');
  const own = /^\s*(<\/?(details|summary|sub)>)+|^<summary>[^<]*<\/summary>/;
  return {
    // A word that GitHub would turn into a link is written as code, which is also text.
    structure: tokens.map(({ type }) => type).filter((type) => type !== 'text' && type !== 'code_inline'),
    texts: tokens
      .filter(({ type }) => /^(text|code_inline|fence|html_block)$/.test(type))
      .map(({ content }) => content),
    faults: [
      ...tokens.filter(({ type }) => type === 'link_open' || type === 'image').map(({ type }) => `a ${type}`),
      ...raw.filter(({ content }) => !own.test(content)).map(({ content }) => `HTML: ${content}`),
      // GitHub turns words outside of code into mentions and references, whatever the Markdown says.
      ...tokens
        .filter(({ type, content }) => type === 'text' && /(^|\W)@\w|#\d|\bGH-\d/i.test(content))
        .map(({ content }) => `a mention or a reference: ${content}`),
    ],
  };
}
