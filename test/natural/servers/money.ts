import { Refused } from '../natural-server.ts';
import { natural } from '../serve-natural.ts';
import { integer, list, number, object, text } from '../shapes.ts';

export const bank = natural({
  name: 'bank',
  description: 'Accounts with balances.',
  changes: ['deposit', 'transfer'],
  open: () => {
    const balances = new Map([
      ['alice', 100_000],
      ['bob', 250],
    ]);
    const account = (what: string, example: string): Record<string, unknown> =>
      text(what, { pattern: '^[a-z]{2,20}$', examples: [example] });
    const cents = integer('Amount in cents', { minimum: 1, maximum: 1_000_000 });
    const balanceOf = (name: string): number => {
      const balance = balances.get(name);
      if (balance === undefined) throw new Refused('NO_SUCH_ACCOUNT', `There is no account "${name}".`, 404);
      return balance;
    };
    return [
      {
        name: 'getBalance',
        description: 'Balance of an account in cents.',
        parameters: object({ account: account('Name of the account', 'alice') }),
        returns: object({ cents: integer('Balance.') }),
        examples: [{ account: 'alice' }],
        run: ({ account: name }: { account: string }) => ({ cents: balanceOf(name) }),
      },
      {
        name: 'deposit',
        description: 'Pays money into an account.',
        parameters: object({ account: account('Name of the account', 'bob'), cents }),
        returns: object({ cents: integer('New balance.') }),
        examples: [{ account: 'bob', cents: 500 }],
        run: ({ account: name, cents: amount }: { account: string; cents: number }) => {
          balances.set(name, balanceOf(name) + amount);
          return { cents: balanceOf(name) };
        },
      },
      {
        name: 'transfer',
        description: 'Moves money from one account to another. Refuses to overdraw.',
        parameters: object({ from: account('Payer', 'alice'), to: account('Payee', 'bob'), cents }),
        returns: object({
          fromCents: integer('Balance of the payer.'),
          toCents: integer('Balance of the payee.'),
        }),
        examples: [{ from: 'alice', to: 'bob', cents: 250 }],
        run: ({ from, to, cents: amount }: { from: string; to: string; cents: number }) => {
          if (balanceOf(from) < amount)
            throw new Refused('INSUFFICIENT_FUNDS', 'The balance is too low.', 409);
          balances.set(from, balanceOf(from) - amount);
          balances.set(to, balanceOf(to) + amount);
          return { fromCents: balanceOf(from), toCents: balanceOf(to) };
        },
      },
    ];
  },
});

export const expenses = natural({
  name: 'expense-report',
  description: 'Collects expenses with two decimals.',
  changes: ['addExpense'],
  undecidedInA: ['splitBill', 'addExpense'],
  open: () => {
    const booked: { amount: number; on: string; reason: string }[] = [];
    const amount = number('Amount in euros', { exclusiveMinimum: 0, multipleOf: 0.01 });
    return [
      {
        name: 'addExpense',
        description: 'Books an expense.',
        parameters: object({
          amount,
          on: text('Day of the expense', { format: 'date' }),
          reason: text('What for'),
        }),
        returns: object({ total: number('All expenses so far.', { minimum: 0 }) }),
        run: (expense: { amount: number; on: string; reason: string }) => {
          booked.push(expense);
          const cents = booked.reduce((sum, one) => sum + Math.round(one.amount * 100), 0);
          return { total: cents / 100 };
        },
      },
      {
        name: 'splitBill',
        description: 'Splits an amount so that the shares add up to it exactly.',
        parameters: object({ amount, people: integer('How many people', { minimum: 1, maximum: 50 }) }),
        returns: object({ shares: list({ type: 'number' }, 'One share for each.') }),
        run: ({ amount: whole, people }: { amount: number; people: number }) => {
          const cents = Math.round(whole * 100);
          const share = Math.floor(cents / people);
          const extra = cents - share * people;
          return { shares: Array.from({ length: people }, (_, at) => (share + (at < extra ? 1 : 0)) / 100) };
        },
      },
    ];
  },
});

export const exchangeRates = natural({
  name: 'fx',
  description: 'Converts currencies by a table of rates that operators maintain.',
  changes: ['setRate'],
  undecidedInA: ['setRate', 'convert'],
  open: () => {
    const perEuro = new Map([
      ['EUR', 1],
      ['USD', 1.09],
      ['GBP', 0.85],
      ['JPY', 161.5],
    ]);
    const currency = { type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217 code', example: 'USD' };
    const rateOf = (code: string): number => {
      const rate = perEuro.get(code);
      if (rate === undefined) throw new Refused('UNKNOWN_CURRENCY', `No rate for ${code}.`, 422);
      return rate;
    };
    return [
      {
        name: 'convert',
        description: 'Converts an amount from one currency to another.',
        parameters: object({ amount: number('How much', { minimum: 0 }), from: currency, to: currency }),
        returns: object({ amount: number('Converted amount.'), rate: number('Rate that was used.') }),
        run: ({ amount, from, to }: { amount: number; from: string; to: string }) => {
          const rate = rateOf(to) / rateOf(from);
          return { amount: amount * rate, rate };
        },
      },
      {
        name: 'setRate',
        description: 'Sets the rate of a currency against the euro.',
        parameters: object({ currency, rate: number('Units for one euro', { exclusiveMinimum: 0 }) }),
        returns: object({ currency: text('The currency.'), rate: number('Its rate now.') }),
        run: ({ currency: code, rate }: { currency: string; rate: number }) => {
          perEuro.set(code, rate);
          return { currency: code, rate };
        },
      },
      {
        name: 'listCurrencies',
        description: 'Codes of all currencies with a rate.',
        parameters: object({}),
        returns: object({ currencies: list({ type: 'string' }, 'ISO 4217 codes.') }),
        run: () => ({ currencies: [...perEuro.keys()] }),
      },
    ];
  },
});

export const loanCalculator = natural({
  name: 'loans',
  description: 'Annuity loans.',
  undecidedInA: ['monthlyPayment'],
  open: () => [
    {
      name: 'monthlyPayment',
      description: 'Payment for each month of an annuity loan.',
      parameters: object({
        principal: number('Borrowed amount', { minimum: 1, examples: [200_000] }),
        annualRatePercent: number('Interest for a year', { minimum: 0, maximum: 30, examples: [3.5] }),
        months: integer('Number of payments', { minimum: 1, maximum: 600, examples: [360] }),
      }),
      returns: object({ payment: number('For each month.'), interest: number('In all.') }),
      run: ({
        principal,
        annualRatePercent,
        months,
      }: Record<'principal' | 'annualRatePercent' | 'months', number>) => {
        const rate = annualRatePercent / 1200;
        const payment = rate === 0 ? principal / months : (principal * rate) / (1 - (1 + rate) ** -months);
        return {
          payment: Math.round(payment * 100) / 100,
          interest: Math.round((payment * months - principal) * 100) / 100,
        };
      },
    },
  ],
});
