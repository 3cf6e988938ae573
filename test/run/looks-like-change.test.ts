import { describe, expect, it } from 'vitest';
import { looksLikeChange } from '../../src/run/looks-like-change.ts';

describe('looksLikeChange', () => {
  it.each([
    ['createUser', ''],
    ['user_delete', ''],
    ['send-mail', ''],
    ['order-pizza', ''],
    ['payInvoice', ''],
    ['addItem', ''],
    ['mailer', 'Sends a message to somebody.'],
    ['notifier', 'Notifies the operator.'],
    ['press', 'Publishes an article.'],
  ])('suspects %s (%s)', (name, description) => {
    expect(looksLikeChange(name, description)).toBe(true);
  });

  it.each([
    ['add', 'Adds the numbers a and b.'],
    ['divide', 'Divides the dividend by the divisor.'],
    ['current-time', 'Tells the current time of the server, in UTC.'],
    ['address-lookup', 'Finds an address.'],
    ['forecast', 'Says what the weather will be.'],
    ['', ''],
  ])('does not suspect %s (%s)', (name, description) => {
    expect(looksLikeChange(name, description)).toBe(false);
  });
});
