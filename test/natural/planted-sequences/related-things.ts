import { randomUUID } from 'node:crypto';
import { EXPRESS_PAGE, INTERNAL_CODE, PROXY_PAGE } from '../planted-inputs/unhandled.ts';
import { flag, integer, list, object, text } from '../shapes.ts';
import { call, conflict, counter, found, type PlantedSequenceBug, plantSequence } from './plant-sequence.ts';

/** Something belongs to another thing, which changes. */
export const relatedThings: readonly PlantedSequenceBug[] = [
  plantSequence({
    name: 'moving a folder into a folder inside it crashes',
    service: 'Folders of a document store.',
    craft: EXPRESS_PAGE,
    smallest: [
      call('createFolder', { name: '' }),
      call('createFolder', { name: '', parentId: '$1/folderId' }),
      call('moveFolder', { folderId: '$1/folderId', parentId: '$2/folderId' }),
    ],
    open: () => {
      const next = counter();
      const folders = new Map<string, { name: string; parentId: string | undefined }>();
      const folderId = text('Identifier of a folder', { pattern: '^fld_\\d+$' });
      const pathOf = (id: string): string => {
        const { name, parentId } = found(folders, id, 'folder');
        return parentId === undefined ? `/${name}` : `${pathOf(parentId)}/${name}`;
      };
      return [
        {
          name: 'createFolder',
          description: 'Creates a folder, at the top or in another.',
          parameters: object({ name: text('Name', { maxLength: 60 }), parentId: folderId }, ['parentId']),
          returns: object({ folderId }),
          examples: [{ name: 'Invoices' }],
          run: ({ name, parentId }: { name: string; parentId?: string }) => {
            if (parentId !== undefined) found(folders, parentId, 'folder');
            const id = `fld_${next()}`;
            folders.set(id, { name, parentId });
            return { folderId: id };
          },
        },
        {
          name: 'moveFolder',
          description: 'Moves a folder into another, or to the top.',
          parameters: object({ folderId, parentId: folderId }, ['parentId']),
          returns: object({ path: text('Names from the top.', { pattern: '^/' }) }),
          run: (input: { folderId: string; parentId?: string }) => {
            const { name } = found(folders, input.folderId, 'folder');
            if (input.parentId === input.folderId) throw conflict('A folder cannot be in itself');
            if (input.parentId !== undefined) found(folders, input.parentId, 'folder');
            folders.set(input.folderId, { name, parentId: input.parentId });
            return { path: pathOf(input.folderId) };
          },
        },
        {
          name: 'topFolders',
          description: 'Identifiers of the folders that are in no other.',
          parameters: object({}),
          returns: object({ folderIds: list(folderId, 'In the order they were created.') }),
          run: () => ({
            folderIds: [...folders].flatMap(([id, { parentId }]) => (parentId === undefined ? id : [])),
          }),
        },
      ];
    },
  }),
  plantSequence({
    name: 'a task for a deleted project ends in 503',
    service: 'Projects and their tasks.',
    craft: INTERNAL_CODE,
    smallest: [
      call('createProject', { title: '' }),
      call('deleteProject', { projectId: '$1/id' }),
      call('createTask', { projectId: '$1/id', title: '' }),
    ],
    open: () => {
      const next = counter();
      const projects = new Map<number, { deletedAt?: Date }>();
      const tasks = new Map<number, string[]>();
      const projectId = integer('Number of the project', { minimum: 1 });
      const title = text('Title', { maxLength: 100 });
      return [
        {
          name: 'createProject',
          description: 'Starts a project.',
          parameters: object({ title }),
          returns: object({ id: projectId }),
          examples: [{ title: 'New website' }],
          run: () => {
            const id = next();
            projects.set(id, {});
            tasks.set(id, []);
            return { id };
          },
        },
        {
          name: 'deleteProject',
          description: 'Deletes a project with all its tasks.',
          parameters: object({ projectId }),
          returns: object({ tasks: integer('How many were deleted.', { minimum: 0 }) }),
          run: (input: { projectId: number }) => {
            const project = found(projects, input.projectId, 'project');
            if (project.deletedAt !== undefined) throw conflict('The project is deleted');
            const count = found(tasks, input.projectId, 'project').length;
            project.deletedAt = new Date();
            tasks.delete(input.projectId);
            return { tasks: count };
          },
        },
        {
          name: 'createTask',
          description: 'Adds a task to a project.',
          parameters: object({ projectId, title }),
          returns: object({ number: integer('Number of the task in its project.', { minimum: 1 }) }),
          run: (input: { projectId: number; title: string }) => {
            found(projects, input.projectId, 'project');
            return { number: (tasks.get(input.projectId) as string[]).push(input.title) };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'a page with a link to a deleted page ends in 502',
    service: 'Wiki.',
    craft: PROXY_PAGE,
    smallest: [
      call('createPage', { title: '' }),
      call('createPage', { title: '' }),
      call('linkPages', { from: '$1/slug', to: '$2/slug' }),
      call('deletePage', { slug: '$2/slug' }),
      call('renderPage', { slug: '$1/slug' }),
    ],
    open: () => {
      const next = counter();
      const pages = new Map<string, { title: string; readonly links: Set<string> }>();
      const slug = text('End of the address of the page', { pattern: '^[a-z0-9-]+$' });
      return [
        {
          name: 'createPage',
          description: 'Creates a page. Its slug is made from its title.',
          parameters: object({ title: text('Title of the page', { maxLength: 100 }) }),
          returns: object({ slug }),
          examples: [{ title: 'House rules' }],
          run: ({ title }: { title: string }) => {
            const words = title.toLowerCase().match(/[a-z]+/g) ?? ['page'];
            const made = `${words.join('-')}-${next()}`;
            pages.set(made, { title, links: new Set() });
            return { slug: made };
          },
        },
        {
          name: 'linkPages',
          description: 'Adds a link from one page to another.',
          parameters: object({ from: slug, to: slug }),
          returns: object({ links: integer('Links of the page.', { minimum: 1 }) }),
          run: ({ from, to }: { from: string; to: string }) => {
            found(pages, to, 'page');
            return { links: found(pages, from, 'page').links.add(to).size };
          },
        },
        {
          name: 'deletePage',
          description: 'Deletes a page.',
          parameters: object({ slug }),
          returns: object({ deleted: flag('Always true.') }),
          run: (input: { slug: string }) => {
            found(pages, input.slug, 'page');
            return { deleted: pages.delete(input.slug) };
          },
        },
        {
          name: 'renderPage',
          description: 'The page in Markdown: its title and its links.',
          parameters: object({ slug }),
          returns: object({ markdown: text('The page.', { pattern: '^# ' }) }),
          run: (input: { slug: string }) => {
            const { title, links } = found(pages, input.slug, 'page');
            const titles = [...links].map((to) => (pages.get(to) as { title: string }).title);
            return { markdown: [`# ${title}`, ...titles.map((one) => `- ${one}`)].join('\n') };
          },
        },
      ];
    },
  }),
  plantSequence({
    name: 'a message in a group that everybody has left crashes',
    service: 'Group chat.',
    craft: PROXY_PAGE,
    smallest: [
      call('createGroup', { owner: '' }),
      call('leaveGroup', { groupId: '$1/groupId', member: '' }),
      call('postMessage', { groupId: '$1/groupId', body: '' }),
    ],
    open: () => {
      const groups = new Map<string, string[]>();
      const groupId = text('Identifier of the group', { format: 'uuid' });
      const member = text('Name of a member', { maxLength: 40 });
      return [
        {
          name: 'createGroup',
          description: 'Creates a group with one member, its owner.',
          parameters: object({ owner: member }),
          returns: object({ groupId }),
          examples: [{ owner: 'ada' }],
          run: ({ owner }: { owner: string }) => {
            const id = randomUUID();
            groups.set(id, [owner]);
            return { groupId: id };
          },
        },
        {
          name: 'joinGroup',
          description: 'Adds a member to a group.',
          parameters: object({ groupId, member }),
          returns: object({ members: integer('How many.', { minimum: 1 }) }),
          run: (input: { groupId: string; member: string }) => {
            const members = found(groups, input.groupId, 'group');
            if (members.includes(input.member)) throw conflict(`${input.member} is a member`);
            return { members: members.push(input.member) };
          },
        },
        {
          name: 'leaveGroup',
          description: 'Removes a member. If the owner leaves, the next member is the owner.',
          parameters: object({ groupId, member }),
          returns: object({ members: integer('How many are left.', { minimum: 0 }) }),
          run: (input: { groupId: string; member: string }) => {
            const members = found(groups, input.groupId, 'group');
            if (!members.includes(input.member)) throw conflict(`${input.member} is no member`);
            members.splice(members.indexOf(input.member), 1);
            return { members: members.length };
          },
        },
        {
          name: 'postMessage',
          description: 'Sends a message to a group, in the name of its owner.',
          parameters: object({ groupId, body: text('Message', { maxLength: 500 }) }),
          returns: object({ line: text('As all members see it.') }),
          run: (input: { groupId: string; body: string }) => {
            const [owner] = found(groups, input.groupId, 'group') as [string];
            return { line: `${owner.padEnd(12)} ${input.body}` };
          },
        },
      ];
    },
  }),
];
