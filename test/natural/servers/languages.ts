import { type Members, Refused } from '../natural-server.ts';
import { natural } from '../serve-natural.ts';
import { integer, list, number, object, text } from '../shapes.ts';

export const raumbuchung = natural({
  name: 'raumbuchung',
  description: 'Bucht Besprechungsräume im Haus.',
  changes: ['raumBuchen'],
  once: ['raumBuchen'],
  undecidedInA: ['raumBuchen', 'freieRaeume'],
  open: () => {
    const raeume = ['Elbe', 'Spree', 'Isar'];
    const gebucht = new Set<string>();
    const zeit = (raum: string, tag: string, stunde: number): string => `${raum}/${tag}/${stunde}`;
    const tag = text('Tag der Besprechung', { format: 'date' });
    const stunde = integer('Volle Stunde, von 8 bis 17', { minimum: 8, maximum: 17 });
    return [
      {
        name: 'raumBuchen',
        description: 'Bucht einen Raum für eine Stunde. Ein belegter Raum wird abgelehnt.',
        parameters: object({ raum: text('Name des Raums', { enum: raeume }), tag, stunde }),
        returns: object({ bestaetigung: text('Text für die Einladung.') }),
        examples: [{ raum: 'Spree', tag: '2026-05-04', stunde: 10 }],
        run: ({ raum, tag: am, stunde: um }: { raum: string; tag: string; stunde: number }) => {
          if (gebucht.has(zeit(raum, am, um)))
            throw new Refused('RAUM_BELEGT', `${raum} ist am ${am} um ${um} Uhr belegt.`, 409);
          gebucht.add(zeit(raum, am, um));
          return { bestaetigung: `${raum}, ${am}, ${um} Uhr` };
        },
      },
      {
        name: 'freieRaeume',
        description: 'Nennt die freien Räume zu einer Stunde.',
        parameters: object({ tag, stunde }),
        returns: object({ raeume: list({ type: 'string' }, 'Namen der Räume.') }),
        run: ({ tag: am, stunde: um }: { tag: string; stunde: number }) => ({
          raeume: raeume.filter((raum) => !gebucht.has(zeit(raum, am, um))),
        }),
      },
    ];
  },
});

export const carnetDAdresses = natural({
  name: 'carnet',
  description: 'Carnet d’adresses partagé par l’équipe.',
  changes: ['ajouterContact', 'supprimerContact'],
  undecidedInA: ['ajouterContact', 'supprimerContact'],
  open: () => {
    const contacts = new Map<string, { nom: string; téléphone: string }>();
    return [
      {
        name: 'ajouterContact',
        description: 'Ajoute un contact, ou remplace son numéro.',
        parameters: object({
          nom: text('Nom complet', { minLength: 2 }),
          téléphone: text('Numéro français', { pattern: '^0[1-9]( \\d\\d){4}$' }),
        }),
        returns: object({ nombre: integer('Contacts dans le carnet.') }),
        run: (contact: { nom: string; téléphone: string }) => ({
          nombre: contacts.set(contact.nom, contact).size,
        }),
      },
      {
        name: 'supprimerContact',
        description: 'Supprime un contact par son nom.',
        parameters: object({ nom: text('Nom complet') }),
        returns: object({ nombre: integer('Contacts qui restent.') }),
        run: ({ nom }: { nom: string }) => {
          if (!contacts.delete(nom)) throw new Refused('CONTACT_INCONNU', `Aucun contact « ${nom} ».`, 404);
          return { nombre: contacts.size };
        },
      },
      {
        name: 'chercherContacts',
        description: 'Cherche dans les noms, sans tenir compte des accents.',
        parameters: object({ recherche: text('Début ou partie du nom') }),
        returns: object({
          contacts: list(object({ nom: text('Nom.'), téléphone: text('Numéro.') }), 'Ceux qui conviennent.'),
        }),
        examples: [{ recherche: 'élo' }],
        run: ({ recherche }: { recherche: string }) => {
          const simple = (nom: string): string =>
            nom.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
          return {
            contacts: [...contacts.values()].filter(({ nom }) => simple(nom).includes(simple(recherche))),
          };
        },
      },
    ];
  },
});

export const biblioteca = natural({
  name: 'biblioteca',
  description: 'Préstamo de libros de la biblioteca del barrio.',
  changes: ['prestarLibro', 'devolverLibro'],
  once: ['prestarLibro'],
  open: () => {
    const títulos = new Map([
      ['L-001', 'Cien años de soledad'],
      ['L-002', 'La casa de los espíritus'],
    ]);
    const prestados = new Set<string>();
    const código = (): Members =>
      text('Código del libro, en el lomo', { pattern: '^L-\\d{3}$', examples: ['L-002'] });
    return [
      {
        name: 'prestarLibro',
        description: 'Presta un libro durante tres semanas. No se presta dos veces.',
        parameters: object({ código: código() }),
        returns: object({ título: text('Título del libro.'), semanas: integer('Duración.') }),
        examples: [{ código: 'L-001' }],
        run: ({ código: libro }: { código: string }) => {
          const título = títulos.get(libro);
          if (título === undefined) throw new Refused('LIBRO_DESCONOCIDO', `No tenemos ${libro}`, 404);
          if (prestados.has(libro)) throw new Refused('YA_PRESTADO', `${título} ya está prestado`, 409);
          prestados.add(libro);
          return { título, semanas: 3 };
        },
      },
      {
        name: 'devolverLibro',
        description: 'Devuelve un libro prestado.',
        parameters: object({ código: código() }),
        returns: object({ gracias: text('Unas palabras.') }),
        run: ({ código: libro }: { código: string }) => {
          if (!prestados.delete(libro)) throw new Refused('NO_PRESTADO', 'Ese libro no está prestado', 409);
          return { gracias: '¡Hasta pronto!' };
        },
      },
      {
        name: 'librosDisponibles',
        description: 'Libros que se pueden llevar hoy.',
        parameters: object({}),
        returns: object({ títulos: list({ type: 'string' }, 'Por orden de código.') }),
        run: () => ({
          títulos: [...títulos].filter(([libro]) => !prestados.has(libro)).map(([, título]) => título),
        }),
      },
    ];
  },
});

export const stockOfTea = natural({
  name: '茶叶库存',
  description: '管理茶叶店的库存。',
  changes: ['入库'],
  undecidedInA: ['入库', '查询库存'],
  open: () => {
    const 库存 = new Map([
      ['龙井', 12],
      ['普洱', 30],
    ]);
    const 品种 = text('茶叶品种', { enum: ['龙井', '普洱', '铁观音'] });
    return [
      {
        name: '查询库存',
        description: '返回某种茶叶的库存公斤数。',
        parameters: object({ 品种 }),
        returns: object({ 公斤: number('剩余公斤数') }),
        run: ({ 品种: 名称 }: { 品种: string }) => ({ 公斤: 库存.get(名称) ?? 0 }),
      },
      {
        name: '入库',
        description: '登记新到的茶叶。',
        parameters: object({ 品种, 公斤: number('到货公斤数', { exclusiveMinimum: 0, maximum: 500 }) }),
        returns: object({ 公斤: number('入库后的公斤数') }),
        run: ({ 品种: 名称, 公斤 }: { 品种: string; 公斤: number }) => {
          库存.set(名称, (库存.get(名称) ?? 0) + 公斤);
          return { 公斤: 库存.get(名称) };
        },
      },
      {
        name: '全部品种',
        description: '列出所有有库存的品种。',
        parameters: object({}),
        returns: object({ 品种: list({ type: 'string' }, '名称列表') }),
        run: () => ({ 品种: [...库存.keys()] }),
      },
    ];
  },
});

export const diaryInJapanese = natural({
  name: '日記',
  description: '短い日記を書いて、あとで読み返します。',
  changes: ['日記を書く'],
  undecidedInA: ['日記を書く', '日記を読む'],
  open: () => {
    const entries: { 日付: string; 本文: string; 天気: string }[] = [];
    const 日付 = text('日付（例：2026-04-01）', { format: 'date' });
    return [
      {
        name: '日記を書く',
        description: '一日分の日記を追加します。',
        parameters: object({
          日付,
          本文: text('日記の本文', { minLength: 1, maxLength: 400 }),
          天気: text('その日の天気', { enum: ['晴れ', '曇り', '雨'] }),
        }),
        returns: object({ 件数: integer('これまでの件数') }),
        run: (entry: { 日付: string; 本文: string; 天気: string }) => ({ 件数: entries.push(entry) }),
      },
      {
        name: '日記を読む',
        description: '指定した日の日記を返します。ない場合は空の一覧です。',
        parameters: object({ 日付 }),
        returns: object({ 本文: list({ type: 'string' }, 'その日の本文') }),
        run: ({ 日付: day }: { 日付: string }) => ({
          本文: entries
            .filter((entry) => entry.日付 === day)
            .map(({ 本文 }) => 本文)
            .slice(-20),
        }),
      },
    ];
  },
});

export const vokabeltrainer = natural({
  name: 'vokabeln',
  description: 'Fragt Vokabeln ab und merkt sich die Trefferquote.',
  changes: ['antworten'],
  open: () => {
    const wörter: Record<string, string> = { Haus: 'house', Straße: 'street', Überraschung: 'surprise' };
    let richtig = 0;
    let gesamt = 0;
    return [
      {
        name: 'abfragen',
        description: 'Nennt ein Wort, das zu übersetzen ist.',
        parameters: object({}),
        returns: object({ wort: text('Deutsches Wort.') }),
        run: () => ({ wort: Object.keys(wörter)[gesamt % 3] ?? 'Haus' }),
      },
      {
        name: 'antworten',
        description: 'Prüft eine Übersetzung und zählt sie mit.',
        parameters: object({
          wort: text('Deutsches Wort', { examples: ['Straße'] }),
          übersetzung: text('Englisches Wort'),
        }),
        returns: object({
          richtig: { type: 'boolean' },
          quote: number('Anteil richtiger Antworten.', { minimum: 0, maximum: 1 }),
        }),
        examples: [{ wort: 'Straße', übersetzung: 'street' }],
        run: ({ wort, übersetzung }: { wort: string; übersetzung: string }) => {
          const passt = Object.hasOwn(wörter, wort) && wörter[wort] === übersetzung.trim().toLowerCase();
          gesamt += 1;
          richtig += passt ? 1 : 0;
          return { richtig: passt, quote: richtig / gesamt };
        },
      },
    ];
  },
});
