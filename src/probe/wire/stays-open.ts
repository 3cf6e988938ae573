import { EXCESS, type WireResponse } from './response-parser.ts';

/** Whether the connection may carry another request after this answer (RFC 9112, section 9.3). */
export function staysOpen({ version, headers, oddities, framed }: WireResponse): boolean {
  const options = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((option) => option.trim());
  if (!framed || oddities.includes(EXCESS) || options.includes('close')) return false;
  return version !== '1.0' || options.includes('keep-alive');
}
