import { describe, expect, it } from 'vitest';
import { natureOf } from '../../src/inputs/function-nature.ts';
import type { JsonObject } from '../../src/json/json.ts';

const numbers = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } };

describe('natureOf', () => {
  it.each([
    ['createUser', ''],
    ['user_delete', ''],
    ['send-mail', ''],
    ['order-pizza', ''],
    ['payInvoice', ''],
    ['addItem', ''],
    ['add', 'Adds an item to the cart.'],
    ['mailer', 'Sends a message to somebody.'],
    ['notifier', 'Notifies the operator.'],
    ['press', 'Publishes an article.'],
    ['checkOut', ''],
    ['check-out', 'Pays for what is in the cart.'],
    ['sign_up', ''],
    ['getOrCreateRoom', 'Returns a room.'],
    ['next', 'Returns the value and increments it.'],
    ['createNote', 'Returns the new note.'],
    ['status', 'Sets the status of a user.'],
    ['hello', 'This function deletes a user.'],
    ['makePayment', ''],
    ['reportIncident', ''],
    ['turnOn', ''],
    ['say', 'Says something to the room.'],
    ['version', 'Bumps the version.'],
    ['inbox', 'Lists the mails and marks them as read.'],
    ['topic', 'The topic of the room: with a text, it becomes the topic.'],
    ['microphone', 'Who has the microphone; it is given to the caller if nobody has it.'],
    ['room', 'Allows you to book a room.'],
    ['user', 'Can be used to delete a user.'],
    ['user', '(Deprecated) Deletes a user.'],
    ['draft', 'The draft of a letter; another text replaces it.'],
    ['notizAnlegen', ''],
    ['notiz', 'Speichert eine Notiz.'],
    ['reserver', 'Réserve une table au restaurant.'],
    ['nota', 'Guarda una nota.'],
    ['note', 'Se guarda la nota.'],
    ['заметка', 'Создаёт заметку.'],
    ['添加任务', ''],
    ['task', '创建一个新的任务。'],
    ['memo', 'メモを保存します。'],
    ['메모', '메모를 저장합니다.'],
  ])('%s (%s) changes something', (name, description) => {
    expect(natureOf({ name, description })).toBe('changes');
  });

  it.each([
    ['getUpdates', ''],
    ['orders', 'Lists the orders of a customer.'],
    ['randomQuote', 'A random quote.'],
    ['greet', 'Greets someone by name.'],
    ['slugify', 'Turns a title into a slug.'],
    ['divide', 'Divides the dividend by the divisor.'],
    ['translate', 'Translates a text.'],
    ['list_orders', 'Lists the orders.'],
    ['searchPosts', ''],
    ['price-order', 'Works out what an order costs, from the price of each of its items.'],
    ['order-status', 'Returns the status of an order.'],
    ['current-time', 'Tells the current time of the server, in UTC.'],
    ['address-lookup', 'Finds an address.'],
    ['forecast', 'Says what the weather will be.'],
  ])('%s (%s) only reads', (name, description) => {
    expect(natureOf({ name, description })).toBe('reads');
  });

  it.each([
    ['add', 'Adds the numbers a and b.', undefined],
    ['add', '', numbers],
    ['addNumbers', '', undefined],
    ['rollDice', 'Rolls dice.', undefined],
    ['plateInfo', 'District of a number plate.', undefined],
    ['', '', undefined],
  ])('of %s (%s) is unknown', (name, description, parameters) => {
    expect(natureOf({ name, description, ...(parameters === undefined ? {} : { parameters }) })).toBe(
      'unknown',
    );
  });

  it.each<[JsonObject, string]>([
    [{ name: 'deleteDraft', annotations: { readOnlyHint: true } }, 'reads'],
    [{ name: 'lookUp', annotations: { readOnlyHint: false } }, 'changes'],
    [{ name: 'lookUp', annotations: { destructiveHint: true } }, 'changes'],
    [{ name: 'plateInfo', readOnlyHint: true }, 'reads'],
    [{ name: 'plateInfo', annotations: { readOnlyHint: 'yes' } }, 'unknown'],
  ])('uses the hints of %j', (descriptor, nature) => {
    expect(natureOf(descriptor)).toBe(nature);
  });
});
