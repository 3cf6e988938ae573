import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** The text of a page, without what HTML does not need. Pure. */
export function pageText(page: VNode): string {
  return `<!doctype html>\n${compact(renderToString(page))}\n`;
}

/** Ends that the next element, or the end of the parent, implies. */
const IMPLIED_ENDS = /<\/(?:td|th|tr|li|dt|dd)>|<\/p>(?=<\/?(?:details|div|dl|h3|p|pre|section|td|th|ul)\b)/g;
const EMPTY_SHAPES = /><\/(?:path|rect|circle|line)>/g;
const TEXT = /<\/?(?:code|dd|li|mark|p|span)(?: class="[\w ]+")?>[^<]*/g;

/**
 * No text and no attribute contains these tags, because `<` is escaped in both. A quote needs an escape only in
 * attributes.
 */
function compact(html: string): string {
  return html
    .replaceAll(IMPLIED_ENDS, '')
    .replaceAll(EMPTY_SHAPES, '/>')
    .replaceAll(TEXT, (text) => text.replaceAll('&quot;', '"'));
}
